"""Groups of interchangeable characters: old, vulgar and variant forms that OpenCC's tables lack.

A group belongs here if printed books have used its characters for the same word, so that one edition has one
character and another edition has another: by the first table of the Chinese norm on variant words (GF
1001-2001: 帐 and 账, 唯 and 惟), in books before the 1930s (的, 底, 地 and 得; 那 and 哪; 著 and 着), or as
a mere other shape (峰 and 峯). Characters with different meanings do not belong here, even if they sound the
same: 他, 她 and 它 are three words. Any two members of a group must share a reading; otherwise
``make tables`` rejects the group.
"""

from collections.abc import Iterator
from itertools import combinations

_GROUPS = """
的底地得 那哪 么麽末 吗么嘛 罢吧 呵啊 你妳 它牠 咱偺喒 甚什 著着 作做 象像 坐座 订定 帐账 粘黏 唯惟维
分份 化花 画划 采彩睬 拼拚 教叫 才纔 只祇衹止 沈沉 彷仿 元原 借藉 豫预 侥徼 浑混 胡糊 希稀 搀掺 覆复
辉煇晖 楣霉 连联 词辞 蹋塌踏 沾霑 担耽 旁傍 陪赔 利厉 反返 捱挨 嬉嘻 磬罄 倘傥 耻恥 晰皙 练炼 蜡腊 消销
伙夥火 藉籍 弥瀰 迹蹟 梁樑 烟煙菸 绵棉 摹模 筹酬 搁阁 念唸 志誌 糊餬 侯候 宴晏燕 毁燬 链鍊 徧遍 荡盪 凭凴
了瞭 仇讐 暖煖煗 略畧 概槩 酬酧 余馀 哄閧鬨 啖噉 粗觕麤 抵觝牴 胸胷 锁鎻 跺跥 回廻囘逥迴 斗鬦 熏薰燻 冰氷
鼓皷 考攷 葬塟 棋碁棊 灾災烖 伞繖 喂餵 骂駡 暗闇晻 庵菴 杯桮 背揹 奔犇逩 痹痺 驳駮 怖悑 踩跴 参葠蓡
插揷臿 察詧 场塲 趁趂 澄澂 捶搥 锤槌鎚 葱蔥 匆怱悤 村邨 答荅 呆獃 捣擣 堤隄 叠曡 蝶蜨 妒妬 睹覩 朵朶 垛垜
鹅鵞 扼搤 法灋 翻飜繙 泛汎氾 佛髴 仿髣 峰峯 附坿 俯俛頫 皋皐 歌謌 耕畊 躬躳 挂罣 管筦 馆舘 果菓 捍扞 皓皜
和龢咊 核覈 花芲 哗譁 欢懽讙 恍怳 羁覊 绩勣 剪翦 剑劔 鉴鑑 叫呌 劫刦刧 洁絜 阶堦 斤觔 迥逈 炯烱 韭韮 救捄
厩廐 局侷跼 倦勌 俊儁隽 刊栞 克剋尅 坑阬 叩扣敂 款欵 昆崑 捆綑 阔濶 懒嬾 琅瑯 犁犂 璃瓈 麟麐 凌淩 留畱
琉瑠 炉鑪 貌皃 秘祕 绵緜 默嘿 拿拏挐 奶嬭 乃迺廼 嫩嫰 拟儗 年秊 捻撚 袅嫋 弄挵 炮砲礮 佩珮 碰掽 毗毘 飘飃
瓶缾 迫廹 栖棲 凄悽 旗旂 憩憇 潜濳 枪鎗 强彊 秋秌 球毬 驱敺 绕遶 融螎 冗宂 软輭 蕊蘂 膻羶 湿溼 时旹 实寔
视眎 是昰 疏疎 似佀 祀禩 苏甦 诉愬 算筭 塔墖 糖餹 逃迯 啼嗁 蹄蹏 剃薙 同仝 偷媮 腿骽 拖拕 玩翫 挽輓
碗盌椀 亡兦 往徃 望朢 蚊蟁 吻脗 污汙汚 溪谿 熙熈 席蓆 仙僊 弦絃 衔啣 向嚮曏 笑咲 效傚 邪衺 泄洩 欣忻 修脩
锈銹 叙敘 恤卹 婿壻 喧諠 璇璿 巡廵 徇狥 咽嚥 岩嵒 宴醼讌 雁鴈 焰燄 燕鷰 咬齩 耀燿 野埜 夜亱 移迻 以㠯
阴隂 荫廕 淫婬 映暎 涌湧 游遊 愈癒瘉 冤寃 岳嶽 札剳 榨搾 寨砦 照炤 哲喆 珍珎 针鍼 侄姪 址阯 置寘 樽罇
"""


def variant_pairs() -> Iterator[tuple[str, str]]:
    """Yield every pair of characters of every group."""
    for group in _GROUPS.split():
        yield from combinations(group, 2)
