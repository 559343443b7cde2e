#!/bin/sh
# Makes ./secrets: what the containers know each other by. Once, as root: sudo ./make-secrets.sh
# Each file is for one container's user alone: 999 of mongo and redis, 10001 of pindna, 472 of grafana.
# Passwords of servers that are there already are taken from MONGO_PASSWORD, REDIS_PASSWORD, MONGO_KEY, GRAFANA_PASSWORD.
set -eu
umask 077
cd "$(dirname "$0")"
if [ -e secrets ]; then
    echo "secrets is there already; new ones would not be those of the databases" >&2
    exit 1
fi

random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

put() { # file, user that reads it, content
    printf %s "$3" > "secrets.new/$1"
    chmod 400 "secrets.new/$1"
    chown "$2" "secrets.new/$1"
}

mongo=${MONGO_PASSWORD:-$(random)}
redis=${REDIS_PASSWORD:-$(random)}
rm -rf secrets.new
mkdir secrets.new
put mongo_password 999 "$mongo"
put mongo_key 999 "${MONGO_KEY:-$(random)}" # of the members of MongoDB's replica set
put valkey.conf 999 "requirepass $redis"
put mongo_url 10001 "mongodb://pindna:$mongo@mongo:27017/?authSource=admin&replicaSet=pindna"
put redis_url 10001 "redis://:$redis@redis:6379/0"
put grafana_password 472 "${GRAFANA_PASSWORD:-$(random)}" # of its user admin
mv secrets.new secrets
