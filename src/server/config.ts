import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { isLoopback } from './model/addresses.ts';
import { networks } from './model/ids.ts';

/** A setting or an option that cannot be used; the message names it and the way out. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What the command line says; it wins over the environment. */
export interface Flags {
  data?: string | undefined;
  host?: string | undefined;
  port?: string | undefined;
  network?: string | undefined;
}

const text = z.string().min(1).optional();
const url = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' })
  .optional();
/** The base of an OpenAI-compatible endpoint. */
const endpoint = (keySetting: string) =>
  url.refine(
    (given) => !URL.parse(given ?? '')?.username && !URL.parse(given ?? '')?.password,
    `must not hold a password: put the key into ${keySetting}`,
  );
const key = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be one word of plain characters')
  .optional();
const whole = (most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from 1 to ${most}`)
    .transform(Number)
    .refine((n) => n >= 1 && n <= most, `must be a whole number from 1 to ${most}`);
const hostName = z
  .string()
  .regex(
    /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/,
    'must be host names, each with or without a port, between commas',
  );

/** Whose processors may have endpoints on this machine and in private networks. */
const privateEndpoints = ['operator', 'everyone', 'nobody'] as const;

const settings = z.object({
  ARCHEION_DATA: z.string('must name a folder (or --data), since this user has no home').min(1, 'must name a folder'),
  ARCHEION_HOST: z.string().min(1, 'must name an address').transform(unbracketed).default('127.0.0.1'),
  ARCHEION_PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a number from 0 to 65535')
    .transform(Number)
    .refine((port) => port <= 65535, 'must be a number from 0 to 65535')
    .default(4747),
  ARCHEION_NETWORK: z.enum(networks).default('main'),
  ARCHEION_SERVICE: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be a short lower-case name')
    .default('arke'),
  ARCHEION_ALLOWED_HOSTS: z
    .string()
    .transform((list) =>
      list
        .toLowerCase()
        .split(',')
        .map((host) => host.trim())
        .filter((host) => host !== ''),
    )
    .pipe(z.array(hostName))
    .default([]),
  ARCHEION_PUBLIC_URL: url.refine(
    (given) => !/[?#]/.test(given ?? ''),
    'must have no ? and no #: paths are written behind it',
  ),
  ARCHEION_PROCESSORS: z
    .string()
    .refine((path) => isAbsolute(path), 'must be an absolute path')
    .optional(),
  ARCHEION_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  ARCHEION_JWT_SECRET: text,
  ARCHEION_JWT_PUBLIC_KEY: text,
  ARCHEION_JWT_JWKS_URL: url,
  ARCHEION_JWT_ISSUER: text,
  ARCHEION_JWT_AUDIENCE: text,
  ARCHEION_ALPHA_SECRET: text,
  ARCHEION_ALPHA_REQUIRED: z.enum(['true', 'false'], 'must be true or false').default('false'),
  ARCHEION_SEAL_KEY: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes as base64url')
    .optional(),
  ARCHEION_OFFICIAL_COLLECTION: z
    .string()
    .regex(/^[0-9A-HJKMNP-TV-Z]{26}$/, 'must be the id of a collection on the main network')
    .optional(),
  ARCHEION_MCP_WRITES: z.enum(['true', 'false'], 'must be true or false').default('false'),
  ARCHEION_PRIVATE_ENDPOINTS: z
    .enum(privateEndpoints, `must be one of ${privateEndpoints.join(', ')}`)
    .default('operator'),
  ARCHEION_JOB_TIMEOUT: whole(600).default(30),
  ARCHEION_JOB_DAYS: whole(36_500).default(90),
  ARCHEION_SYNC_BRAKE: whole(100).default(20),
  ARCHEION_EMBED_URL: endpoint('ARCHEION_EMBED_KEY'),
  ARCHEION_EMBED_MODEL: text,
  ARCHEION_EMBED_KEY: key,
  ARCHEION_CHAT_URL: endpoint('ARCHEION_CHAT_KEY'),
  ARCHEION_CHAT_MODEL: text,
  ARCHEION_CHAT_KEY: key,
  ARCHEION_CHAT_TIMEOUT: whole(86_400).default(600),
  ARCHEION_CHAT_STORAGE_MB: whole(1_000_000).default(10_240),
});

/** What may be shown and logged. */
export interface Config {
  /** The data folder. */
  data: string;
  host: string;
  /** 0 for any free port. */
  port: number;
  /** Which network the command line works on; requests say it in their header. */
  network: (typeof networks)[number];
  /** `<service>` on the wire (decisions.md, Names). */
  service: string;
  /** Hosts, with or without a port, that the node answers to beside loopback names and the address it listens on. */
  allowedHosts: string[];
  publicUrl: string | null;
  /** The file of the commands that kladoi may run; null: `processors.json` in the data folder. */
  processors: string | null;
  logLevel: string;
  /** Whether /mcp has tools that write. */
  mcpWrites: boolean;
  /** Whose processors may have endpoints on this machine and in private networks. */
  privateEndpoints: (typeof privateEndpoints)[number];
  /** How long a processor has to take or refuse a job, in milliseconds. */
  jobTimeoutMs: number;
  /** How long records of runs are kept after their permissions have ended, in milliseconds. */
  jobKeepMs: number;
  /** The share of what is mirrored from a remote that a sync changes unasked, 0.01 to 1. */
  syncBrake: number;
  /** New users need an invite. */
  invitedOnly: boolean;
  jwt: { jwksUrl?: string | undefined; issuer?: string | undefined; audience?: string | undefined };
  /** The collection of approved agents, by its id on main; null for those of the operator. */
  official: string | null;
  chat: ChatSettings;
  /** What makes vectors of texts beside the builtin embedder; null for that one. */
  embed: EmbedSettings | null;
}

/** A model of an OpenAI-compatible endpoint of the user's choice. */
export interface EmbedSettings {
  /** The endpoint's base, as `http://127.0.0.1:11434/v1`. */
  url: string;
  /** The model's name there. */
  model: string;
}

/** The language model that chat asks: an OpenAI-compatible endpoint of the user's choice. */
export interface ChatSettings {
  /** The endpoint's base, as `http://127.0.0.1:11434/v1`. */
  url: string | null;
  /** The model's name there. */
  model: string | null;
  /** How long one answer may take, in milliseconds. */
  timeoutMs: number;
  /** How much chat.db may hold, in bytes. */
  maxBytes: number;
}

export interface Secrets {
  /** The environment without the node's own settings, for commands that may see parts of it. */
  environment: Record<string, string>;
  jwt: { secret?: string | undefined; publicKey?: string | undefined };
  alpha: string | null;
  /** What stored keys of remotes are sealed with. */
  seal: string | null;
  /** The key of the chat endpoint. */
  chat: string | null;
  /** The key of the endpoint that makes vectors. */
  embed: string | null;
}

/**
 * The settings of a node, from the environment and the command line's options.
 * `fallbackData` is the platform's usual data folder; null where there is none.
 * @throws UsageError with one sentence for everything that is wrong
 */
export function readConfig(
  env: Record<string, string | undefined>,
  flags: Flags,
  fallbackData: string | null,
): { config: Config; secrets: Secrets } {
  const given = Object.entries(env).filter(
    ([name, value]) => name.startsWith('ARCHEION_') && value !== undefined && value !== '',
  );
  const parsed = settings.safeParse({
    ARCHEION_DATA: fallbackData ?? undefined,
    ...Object.fromEntries(given),
    ...(flags.data !== undefined && { ARCHEION_DATA: flags.data }),
    ...(flags.host !== undefined && { ARCHEION_HOST: flags.host }),
    ...(flags.port !== undefined && { ARCHEION_PORT: flags.port }),
    ...(flags.network !== undefined && { ARCHEION_NETWORK: flags.network }),
  });
  if (!parsed.success) {
    throw new UsageError(
      parsed.error.issues.map((issue) => `${settingName(issue.path[0], flags)}: ${issue.message}.`).join(' '),
    );
  }
  const all = parsed.data;
  const publicUrl = all.ARCHEION_PUBLIC_URL ?? null;
  const allowedHosts = [...all.ARCHEION_ALLOWED_HOSTS, ...(publicUrl === null ? [] : [new URL(publicUrl).host])];
  if (!isLoopback(all.ARCHEION_HOST) && allowedHosts.length === 0) {
    throw new UsageError(
      `The host ${all.ARCHEION_HOST} is open to other machines: set ARCHEION_ALLOWED_HOSTS to the names under which they reach it.`,
    );
  }
  return {
    config: {
      data: all.ARCHEION_DATA,
      host: all.ARCHEION_HOST,
      port: all.ARCHEION_PORT,
      network: all.ARCHEION_NETWORK,
      service: all.ARCHEION_SERVICE,
      allowedHosts,
      publicUrl: publicUrl?.replace(/(?<!\/)\/+$/, '') ?? null,
      processors: all.ARCHEION_PROCESSORS ?? null,
      logLevel: all.ARCHEION_LOG_LEVEL,
      mcpWrites: all.ARCHEION_MCP_WRITES === 'true',
      privateEndpoints: all.ARCHEION_PRIVATE_ENDPOINTS,
      jobTimeoutMs: all.ARCHEION_JOB_TIMEOUT * 1000,
      jobKeepMs: all.ARCHEION_JOB_DAYS * 86_400_000,
      syncBrake: all.ARCHEION_SYNC_BRAKE / 100,
      invitedOnly: all.ARCHEION_ALPHA_REQUIRED === 'true',
      jwt: {
        jwksUrl: all.ARCHEION_JWT_JWKS_URL,
        issuer: all.ARCHEION_JWT_ISSUER,
        audience: all.ARCHEION_JWT_AUDIENCE,
      },
      official: all.ARCHEION_OFFICIAL_COLLECTION ?? null,
      embed: embedSettings(all.ARCHEION_EMBED_URL, all.ARCHEION_EMBED_MODEL),
      chat: {
        url: all.ARCHEION_CHAT_URL?.replace(/(?<!\/)\/+$/, '') ?? null,
        model: all.ARCHEION_CHAT_MODEL ?? null,
        timeoutMs: all.ARCHEION_CHAT_TIMEOUT * 1000,
        maxBytes: all.ARCHEION_CHAT_STORAGE_MB * 2 ** 20,
      },
    },
    secrets: {
      environment: Object.fromEntries(
        Object.entries(env).filter(
          (one): one is [string, string] => !one[0].startsWith('ARCHEION_') && one[1] !== undefined,
        ),
      ),
      jwt: { secret: all.ARCHEION_JWT_SECRET, publicKey: all.ARCHEION_JWT_PUBLIC_KEY },
      alpha: all.ARCHEION_ALPHA_SECRET ?? null,
      seal: all.ARCHEION_SEAL_KEY ?? null,
      chat: all.ARCHEION_CHAT_KEY ?? null,
      embed: all.ARCHEION_EMBED_KEY ?? null,
    },
  };
}

/** What is named as a setting in an environment, and is none: it may be misspelled, and what it was to forbid is allowed. */
export function unknownSettings(env: Record<string, string | undefined>): string[] {
  return Object.keys(env).filter((name) => name.startsWith('ARCHEION_') && env[name] && !(name in settings.shape));
}

const tokenKeys = ['ARCHEION_JWT_SECRET', 'ARCHEION_JWT_PUBLIC_KEY', 'ARCHEION_JWT_JWKS_URL'];
const needed: Record<string, string[]> = {
  ARCHEION_JWT_ISSUER: tokenKeys,
  ARCHEION_JWT_AUDIENCE: tokenKeys,
  ARCHEION_EMBED_KEY: ['ARCHEION_EMBED_URL'],
  ARCHEION_CHAT_URL: ['ARCHEION_CHAT_MODEL'],
  ARCHEION_CHAT_MODEL: ['ARCHEION_CHAT_URL'],
  ARCHEION_CHAT_KEY: ['ARCHEION_CHAT_URL'],
};

/** Settings that are given without any of those that they need, with these. */
export function idleSettings(env: Record<string, string | undefined>): { name: string; needs: string[] }[] {
  return Object.entries(needed)
    .filter(([name, needs]) => env[name] && !needs.some((other) => env[other]))
    .map(([name, needs]) => ({ name, needs }));
}

/** In bytes (RFC 7518, 3.2): whoever has a token can try shorter secrets on it, and sign in as anybody with the one that fits. */
const leastSecret = 32;

export function isShortSecret({ jwt: { secret } }: Secrets): boolean {
  return secret !== undefined && Buffer.byteLength(secret) < leastSecret;
}

function embedSettings(url: string | undefined, model: string | undefined): EmbedSettings | null {
  if (url === undefined && model === undefined) return null;
  if (url === undefined) throw new UsageError('ARCHEION_EMBED_MODEL: needs ARCHEION_EMBED_URL, where that model is.');
  if (model === undefined) throw new UsageError('ARCHEION_EMBED_URL: needs ARCHEION_EMBED_MODEL, a model there.');
  return { url: url.replace(/(?<!\/)\/+$/, ''), model };
}

/** An address of IPv6 as it is listened on; in addresses of pages it stands in brackets. */
function unbracketed(host: string): string {
  const inner = /^\[(.*)\]$/.exec(host)?.[1];
  return inner !== undefined && isIP(inner) === 6 ? inner : host;
}

/** A setting under the name by which it was given. */
function settingName(name: PropertyKey | undefined, flags: Flags): string {
  const flag = String(name).replace('ARCHEION_', '').toLowerCase();
  return flag in flags && flags[flag as keyof Flags] !== undefined ? `--${flag}` : String(name);
}
