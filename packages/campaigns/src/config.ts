import * as z from 'zod';

/** A relay's address, credentials included. */
export const smtpUrlSchema = z
  .string()
  .max(2_000)
  .refine((text) => /^smtps?:\/\/./i.test(text) && URL.canParse(text) && new URL(text).hostname !== '')
  .describe('smtp://user:password@host:port or smtps://…');

const relaySchema = z.strictObject({
  url: smtpUrlSchema,
  tls: z.enum(['none', 'opportunistic', 'required']).default('opportunistic'),
  connections: z.int().min(1).max(500).optional(),
  ratePerSecond: z.number().positive().optional(),
});

/** A mailbox that takes in bounces and complaints; `password` is meant to come from the environment. */
const bounceMailboxSchema = z.strictObject({
  host: z.string().min(1).max(253).describe('name or address of an IMAP server, without a port'),
  /** 993 with implicit TLS, else 143. */
  port: z.int().min(1).max(65_535).optional(),
  /** `starttls` insists on it; `none` sends the password as it is. */
  tls: z.enum(['implicit', 'starttls', 'none']).default('implicit'),
  user: z.string().min(1).max(320),
  password: z.string().min(1).max(1_000),
  mailbox: z.string().min(1).max(255).default('INBOX'),
  /** Servers hang up on who says nothing for half an hour. */
  pollSeconds: z.int().min(5).max(1_500).default(60),
  markSeen: z.boolean().default(true),
  /** Another mailbox of the account, made if it is not there; reports stay where they are without it. */
  moveTo: z.string().min(1).max(255).optional(),
});

export type BounceMailboxConfig = Readonly<z.output<typeof bounceMailboxSchema>>;

/** The `campaigns:` section of postern.yaml. */
export const campaignsConfigSchema = z.strictObject({
  smtp: z.array(relaySchema).max(10).default([]),
  rateLimit: z.strictObject({ perMinute: z.int().min(1).max(1_000_000).default(600) }).prefault({}),
  engine: z
    .strictObject({
      workers: z.int().min(0).max(64).default(1),
      connections: z.int().min(1).max(500).default(10),
    })
    .prefault({}),
  throttles: z
    .strictObject({
      /** Mails a second from one sending domain, and to one destination domain; none unless set. */
      perDomain: z.number().positive().optional(),
      perDestination: z.number().positive().optional(),
    })
    .prefault({}),
  bounces: z
    .strictObject({
      smtp: z
        .strictObject({ host: z.string().default('127.0.0.1'), port: z.int().min(0).max(65_535) })
        .optional(),
      imap: bounceMailboxSchema.optional(),
    })
    .prefault({}),
  webhooks: z
    .strictObject({
      /** Lets webhooks lead to this machine; they may in any case while the public URL itself does. */
      allowLoopback: z.boolean().default(false),
    })
    .prefault({}),
  returnPathDomain: z.string().min(1).optional(),
  /** A campaign pauses when this share of at least 50 answers are faults of sender or content. */
  errorShareToPause: z.number().min(0).max(1).default(0.1),
  captureKeep: z.int().min(0).max(1_000_000).default(10_000),
});

export type CampaignsConfig = Readonly<z.output<typeof campaignsConfigSchema>>;
