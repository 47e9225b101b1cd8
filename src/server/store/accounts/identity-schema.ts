/** Accounts and keys in a data folder, or in a backup of one: where it is, there is a node. */
export const identityFile = 'identity.db';

/** The steps of identity.db's schema, in order; its `user_version` is how many of them it has seen. Forward only. */
export const identityMigrations: readonly string[] = [
  `
  CREATE TABLE account (
    id TEXT PRIMARY KEY,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    email TEXT,
    name TEXT,
    created_at INTEGER NOT NULL,
    operator INTEGER NOT NULL DEFAULT 0,
    UNIQUE (issuer, subject)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX account_test_id ON account ('II' || substr(id, 3));

  CREATE TABLE alias (
    source TEXT NOT NULL,
    user_id TEXT NOT NULL,
    account TEXT NOT NULL REFERENCES account (id),
    PRIMARY KEY (source, user_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX alias_account ON alias (account);

  CREATE TABLE api_key (
    id TEXT PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    prefix TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('user', 'service', 'agent', 'klados')),
    account TEXT NOT NULL REFERENCES account (id),
    processor TEXT CHECK ((processor IS NOT NULL) = (kind IN ('agent', 'klados'))),
    network TEXT CHECK ((network IS NOT NULL) = (processor IS NOT NULL)),
    label TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER,
    revoked_at INTEGER,
    internal INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX api_key_account ON api_key (account) WHERE revoked_at IS NULL;
  CREATE INDEX api_key_processor ON api_key (processor) WHERE revoked_at IS NULL;

  CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE invite (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    invited_by TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'accepted', 'revoked', 'waitlisted')),
    created_at INTEGER NOT NULL,
    accepted_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX invite_created ON invite (created_at);

  CREATE TABLE verification_token (
    processor TEXT PRIMARY KEY,
    token TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE verified_endpoint (
    processor TEXT PRIMARY KEY,
    endpoint TEXT NOT NULL,
    verified_at INTEGER NOT NULL,
    operators INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
];
