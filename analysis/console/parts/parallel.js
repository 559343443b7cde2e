// A page beside the works that it copies from. All texts are interpolated, so they are text and never markup.
const LINE = 0.3; // of a pane's height: what stands there is what the other pane follows
const FIRST = 0.15; // where the first stretch stands at first
const NEAR = 0.4; // above this it stands where it is without scrolling

export default {
  template: `
    <div class="parallel" :class="['shows-' + show]" @wheel.passive="touched = true" @pointerdown="touched = true" @keydown="touched = true">
      <div class="parallel-bar">
        <div class="switch" role="group" :aria-label="words.marks">
          <button type="button" v-for="way in ['differences', 'matches']" :key="way"
            :aria-pressed="String(show === way)" @click="show = way">{{ words[way] }}</button>
        </div>
        <label class="linked"><input type="checkbox" v-model="linked"> {{ words.linked }}</label>
        <details class="legend">
          <summary>{{ words.legend }}</summary>
          <div class="legend-lines">
            <span><span class="run equal">{{ words.sample }}</span> {{ words.equal }}</span>
            <span v-for="mark in marks" :key="mark.kind"><span class="run" :class="mark.kind"><ruby v-if="mark.syllable">{{ mark.sample }}<rt>{{ mark.syllable }}</rt></ruby><template v-else>{{ mark.sample }}</template></span> {{ mark.label }}</span>
          </div>
        </details>
      </div>
      <ul class="chips" :aria-label="words.stretches">
        <li v-for="chip in shownChips" :key="chip.index">
          <button type="button" class="chip" :class="[chip.standing, {chosen: chosen === chip.index}]"
            :aria-current="chosen === chip.index ? 'true' : null" :title="chip.detail" @click="choose(chip.index, '')">
            <b>{{ chip.label }}</b> {{ chip.text }}</button>
        </li>
        <li v-if="shownChips.length < stretches.length">
          <button type="button" class="chip" @click="all = true">{{ words.all }}</button>
        </li>
      </ul>
      <div class="panes">
        <section v-for="side in ['page', 'passage']" :key="side" :ref="side" class="pane" :class="'of-' + side" tabindex="0"
          role="region" :aria-label="words[side]" @scroll.passive="scrolled(side)">
          <div class="pane-title">{{ words[side] }}</div>
          <template v-for="(section, at) in (side === 'page' ? [page] : passages)" :key="at">
            <div class="section-title"><bdi>{{ section.title }}</bdi></div>
            <div v-if="at === 0" :style="{height: lead[side] + 'px'}"></div>
            <div class="text"><template v-for="(part, place) in section.parts" :key="place"><span
              v-if="part.stretch === undefined" class="gap">{{ part.head }}<button v-if="part.left" type="button" class="more"
              @click="$emit('gap', {section: side === 'page' ? -1 : at, part: place})">… {{ more(part.left) }} …</button>{{ part.tail }}</span><span
              v-else class="stretch" :class="[stretches[part.stretch].standing, {chosen: chosen === part.stretch}]"
              :data-stretch="part.stretch" :data-place="at + '-' + place" @click="clicked(part.stretch, side)"><button type="button" class="number"
              :aria-label="name(part.stretch, side)" @click.stop="choose(part.stretch, side)">{{ stretches[part.stretch].label }}</button><span
              v-for="(run, number) in part.runs" :key="number" class="run" :class="run[0]"><template v-if="Array.isArray(run[1])"><ruby
              v-for="(character, index) in run[1]" :key="index">{{ character }}<rt>{{ run[2][index] }}</rt></ruby></template><template v-else>{{ run[1] }}</template></span><button
              v-if="part.left" type="button" class="more" @click.stop="$emit('stretch', part.stretch)">… {{ more(part.left) }}</button></span></template></div>
          </template>
        </section>
      </div>
      <div class="spoken" role="status">{{ spoken }}</div>
    </div>
  `,
  props: { page: Object, passages: Array, stretches: Array, marks: Array, words: Object, first: Number },
  emits: ["stretch", "gap"],
  data() {
    return { show: "differences", linked: true, chosen: null, all: false, spoken: "", lead: { page: 0, passage: 0 } };
  },
  computed: {
    shownChips() {
      const chips = this.stretches.map((stretch, index) => ({ ...stretch, index }));
      return this.all ? chips : chips.slice(0, this.first);
    },
  },
  created() {
    this.expected = { page: null, passage: null }; // where a pane was put, so that it does not lead in turn
    this.waiting = false;
    this.touched = false; // somebody reads
  },
  mounted() {
    // The page's frame takes its width after this; whoever has begun to read is left where they are.
    this.observer = new ResizeObserver(() => this.touched || this.begin());
    for (const side of ["page", "passage"]) this.observer.observe(this.pane(side));
  },
  unmounted() {
    this.observer.disconnect();
  },
  methods: {
    // Show the first stretch at the same height on both sides. Near the beginnings of both nothing is scrolled:
    // the side where it stands higher is moved down.
    begin() {
      const boxes = { page: this.box("page", 0), passage: this.box("passage", 0) };
      if (!boxes.page || !boxes.passage) return;
      const tops = { page: boxes.page[0] - this.lead.page, passage: boxes.passage[0] - this.lead.passage };
      const height = this.pane("page").clientHeight;
      const lower = Math.max(tops.page, tops.passage);
      const lowest = (side) => tops[side] - (this.pane(side).scrollHeight - height - this.lead[side]);
      const place = Math.max(Math.min(tops.page, tops.passage, height * FIRST), lowest("page"), lowest("passage"));
      const areBeside = this.pane("page").offsetTop === this.pane("passage").offsetTop;
      for (const side of ["page", "passage"]) {
        const isNear = lower < height * NEAR;
        this.lead[side] = isNear && areBeside ? lower - tops[side] : 0;
        this.put(side, isNear ? 0 : tops[side] - place);
      }
    },
    more(count) {
      return this.words.more.replace("{count}", count.toLocaleString());
    },
    name(index, side) {
      const words = side === "page" ? this.words.toPassage : this.words.toPage;
      return words.replace("{number}", this.stretches[index].label);
    },
    pane(side) {
      return this.$refs[side][0];
    },
    // Where a stretch is on a side: [top, bottom] in the pane's content.
    box(side, index) {
      const stretch = this.stretches[index];
      if (!stretch) return null;
      const place = (side === "page" ? "0-" + stretch.page : stretch.section + "-" + stretch.passage);
      const element = this.pane(side).querySelector(`[data-place="${place}"]`);
      if (!element) return null;
      const pane = this.pane(side);
      const own = element.getBoundingClientRect();
      const offset = pane.scrollTop - pane.getBoundingClientRect().top;
      return [own.top + offset, own.bottom + offset];
    },
    put(side, top) {
      const pane = this.pane(side);
      pane.scrollTop = Math.max(0, top);
      this.expected[side] = pane.scrollTop;
    },
    // A click that ends a selection, of a text to be copied, is none.
    clicked(index, side) {
      if (window.getSelection().isCollapsed) this.choose(index, side);
    },
    choose(index, from) {
      this.touched = true;
      this.chosen = index;
      this.spoken = this.stretches[index].detail;
      const unopened = [this.page, ...this.passages].some((section) =>
        section.parts.some((part) => part.stretch === index && !part.runs.length && part.left));
      if (unopened) this.$emit("stretch", index);
      this.$nextTick(() => {
        const pane = from ? this.pane(from) : null;
        const own = from ? this.box(from, index) : null;
        const height = own ? own[0] - pane.scrollTop : this.pane("page").clientHeight * 0.12;
        for (const side of ["page", "passage"]) {
          const box = side === from ? null : this.box(side, index);
          if (box) this.put(side, box[0] - Math.max(0, height));
        }
      });
    },
    scrolled(side) {
      const pane = this.pane(side);
      const expected = this.expected[side];
      this.expected[side] = null;
      if (expected !== null && Math.abs(pane.scrollTop - expected) < 2) return;
      if (!this.linked || this.waiting) return;
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        this.follow(side);
      });
    },
    // Bring the other pane to what stands beside the line of this one.
    follow(side) {
      const other = side === "page" ? "passage" : "page";
      const pane = this.pane(side);
      const line = pane.scrollTop + pane.clientHeight * LINE;
      let nearest = null;
      this.stretches.forEach((_, index) => {
        const box = this.box(side, index);
        if (!box) return;
        const away = line < box[0] ? box[0] - line : line > box[1] ? line - box[1] : 0;
        if (nearest === null || away < nearest.away) nearest = { index, box, away };
      });
      const target = nearest && this.box(other, nearest.index);
      if (!target) return;
      const [top, bottom] = nearest.box;
      const share = Math.min(1, Math.max(0, (line - top) / Math.max(1, bottom - top)));
      const beyond = line < top ? line - top : line > bottom ? line - bottom : 0;
      const place = target[0] + share * (target[1] - target[0]) + beyond;
      this.put(other, place - this.pane(other).clientHeight * LINE);
    },
  },
};
