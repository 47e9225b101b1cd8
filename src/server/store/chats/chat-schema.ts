/** The steps of chat.db's schema, in order; its `user_version` is how many of them it has seen. Forward only. */
export const chatMigrations: readonly string[] = [
  `
  CREATE TABLE session (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    network TEXT NOT NULL,
    title TEXT,
    preview TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX session_owner ON session (owner, network, updated_at DESC, key DESC) WHERE deleted = 0;
  CREATE INDEX session_deleted ON session (key) WHERE deleted = 1;

  CREATE TABLE message (
    key INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (key),
    id TEXT NOT NULL,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    extra TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (session, id)
  ) STRICT;
  CREATE INDEX message_session ON message (session, key);
  `,
  `
  -- The question that an answer is to, behind which it stands whenever it came; null of what stands where it came.
  ALTER TABLE message ADD COLUMN question INTEGER;
  CREATE INDEX message_place ON message (session, coalesce(question, key), key);
  `,
  `
  -- What there is of an answer that is being written, one a question; a node that is killed leaves some.
  CREATE TABLE draft (
    question INTEGER PRIMARY KEY,
    -- The greater one was begun later.
    turn INTEGER NOT NULL,
    -- The last message of the session when it was begun.
    last INTEGER NOT NULL,
    session INTEGER NOT NULL,
    id TEXT NOT NULL,
    content TEXT NOT NULL,
    extra TEXT,
    created_at INTEGER NOT NULL,
    preview TEXT NOT NULL
  ) STRICT;
  `,
];
