import { identityFile, identityMigrations } from './accounts/identity-schema.ts';
import { chatMigrations } from './chats/chat-schema.ts';
import { chatFile } from './chats/chats.ts';

/** The databases that a data folder has for all its networks, accounts and keys and chats: their names, and the steps of their schemas. */
export const nodeDatabases = [
  [identityFile, identityMigrations],
  [chatFile, chatMigrations],
] as const;
