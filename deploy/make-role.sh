#!/bin/sh
# Makes the role that the gateways use. `store init` gives it the right to change rows, and nothing else.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$LAINCLAW_DATABASE_PASSWORD" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
CREATE ROLE lainclaw LOGIN PASSWORD :'password';
SQL
