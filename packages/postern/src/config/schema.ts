import { isIP } from 'node:net';
import { campaignsConfigSchema, smtpUrlSchema } from '@postern/campaigns/config';
import { inboxConfigSchema } from '@postern/inbox/config';
import { threadsConfigSchema } from '@postern/threads/config';
import * as z from 'zod';
import { STRONG_SECRET, weaknessOf } from '../secrets/strength.ts';

/** The whole of postern.yaml, strict at every level; what is accepted is told by each leaf's description. */

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const strongSecret = z
  .string()
  .refine((text) => weaknessOf(text) === null)
  .describe(STRONG_SECRET);

const host = z
  .string()
  .regex(/^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$/)
  .max(253)
  .describe('an address or name to listen on, without a port');

const publicUrl = z
  .string()
  .refine(isBaseUrl)
  .transform((text) => new URL(text).origin)
  .describe('an http:// or https:// address without path, query or user');

const databaseUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol))
  .describe('postgres://user:password@host:port/database');

const path = z
  .string()
  .min(1)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what is refused.
  .regex(/^[^\u0000]*$/)
  .describe('a path');

const dnsServers = z
  .string()
  .refine((text) => text.split(',').every((server) => isResolver(server.trim())))
  .describe(
    'IP addresses of resolvers such as 192.0.2.53 or 192.0.2.53:5353 or [2001:db8::53]:5353, with commas between them; Node takes no names there',
  );

export const fileSchema = z.strictObject({
  dataDir: path.default('./data'),
  host: host.default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(8_080),
  publicUrl: publicUrl.optional(),
  databaseUrl: databaseUrl.optional(),
  adminKey: strongSecret.optional(),
  smtpUrl: smtpUrlSchema.optional(),
  dnsServers: dnsServers.optional(),
  allowUnverifiedDomains: z.boolean().default(false),
  claudePath: path.default('claude'),
  /** From a second to a day; the agent CLI's own limit for a call is an hour. */
  decisionBridgeTimeoutMs: z.int().min(1_000).max(86_400_000).default(3_600_000),
  logLevel: z.enum(logLevels).default('info'),
  inbox: inboxConfigSchema.extend({ bearerToken: strongSecret.optional() }).prefault({}),
  campaigns: campaignsConfigSchema.prefault({}),
  threads: threadsConfigSchema.optional(),
});

export type FileConfig = z.output<typeof fileSchema>;

/** One resolver as Node's own takes it: an IP address, IPv6 in brackets when a port follows. */
function isResolver(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, ipv6, ipv4 = '', port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false;
  return ipv6 === undefined ? isIP(ipv4) === 4 : isIP(ipv6) === 6;
}

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    /^https?:$/.test(url.protocol) &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    url.password === ''
  );
}
