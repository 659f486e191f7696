import { isSupportedCountry } from 'libphonenumber-js';
import * as z from 'zod';
import { DEFAULT_CHAT_DB, DEFAULT_OSASCRIPT } from './connectors/imessage/settings.ts';

const discordSchema = z.strictObject({
  token: z.string().min(1).max(500).regex(/^\S+$/, 'must not hold white space'),
  /** REST base, with or without the version; the gateway is where that says. */
  apiUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** The only channels of servers that are heard, with their threads; all without it. */
  channels: z
    .array(
      z
        .string()
        .regex(/^\d{1,20}$/)
        .describe('the id of a channel, in quotes'),
    )
    .max(1_000)
    .optional(),
});

const imessageSchema = z.strictObject({
  enabled: z.boolean().default(false),
  /** The database of Messages; `~` is the home folder. */
  chatDb: z
    .string()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what is refused.
    .regex(/^(?:~?\/)[^\u0000]+$/, 'must be an absolute path, or one that begins with ~/')
    .default(DEFAULT_CHAT_DB),
  /** Runs AppleScript from standard input; a program and its first arguments. */
  osascript: z
    .array(z.string().min(1))
    .min(1)
    .max(20)
    .default([...DEFAULT_OSASCRIPT]),
  /** Whose phone numbers come without their country code. */
  region: z
    .string()
    .refine((code) => isSupportedCountry(code), 'must be the code of a country, such as US')
    .describe('the code of a country, such as US')
    .default('US'),
  groups: z.boolean().default(true),
  pollMs: z.int().min(100).max(60_000).default(1_000),
});

const connectorsSchema = z.strictObject({
  local: z.strictObject({ enabled: z.boolean().default(true) }).prefault({}),
  discord: discordSchema.optional(),
  imessage: imessageSchema.prefault({}),
});

const webhookSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  /** Standard Webhooks secrets (`whsec_…`); two may be active while one replaces the other. */
  secrets: z
    .array(
      z.string().regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be whsec_ and base64 of at least 24 bytes'),
    )
    .min(1)
    .max(2),
  allowLoopback: z.boolean().default(false),
});

/** The `inbox:` section of postern.yaml. */
export const inboxConfigSchema = z.strictObject({
  rateLimit: z
    .strictObject({
      perSecond: z.number().positive().max(1_000).default(1),
      burst: z.int().min(1).max(10_000).default(5),
    })
    .prefault({}),
  attachments: z
    .strictObject({
      /** Folders `path` attachments may come from; none unless listed. */
      allowedDirs: z.array(z.string().regex(/^\//, 'must be an absolute path')).default([]),
      /** Whether `url` attachments of other servers are fetched. */
      fetchUrls: z.boolean().default(false),
      maxBytes: z.int().min(1).max(1_073_741_824).default(26_214_400),
      retentionDays: z.int().min(1).max(36_500).default(90),
    })
    .prefault({}),
  webhooks: z.array(webhookSchema).max(20).default([]),
  pairing: z.enum(['off', 'on']).default('off'),
  connectors: connectorsSchema.prefault({}),
});

export type InboxConfig = Readonly<z.output<typeof inboxConfigSchema>>;
