import type { CampaignsPorts } from './ports.ts';
import type { References } from './references.ts';

/** Areas of an API key's scopes (contract, section 1). */
export const scopeAreas = [
  'projects',
  'keys',
  'lists',
  'subscribers',
  'segments',
  'templates',
  'campaigns',
  'domains',
  'suppressions',
  'emails',
  'webhooks',
  'reports',
] as const;

export type Scope = `${(typeof scopeAreas)[number]}:${'read' | 'write'}` | 'campaigns:launch';

export const allScopes: readonly Scope[] = [
  ...scopeAreas.flatMap((area) => [`${area}:read`, `${area}:write`] as const),
  'campaigns:launch',
];

/** What an operation takes to be called. */
export interface CampaignsRights {
  /** `none`: any key; `admin`: admin keys alone. */
  readonly scope: Scope | 'none' | 'admin';
  /** `context`: acts within one project, by the rule of project context; `none`: exempt from it. */
  readonly project: 'context' | 'none';
  /** Fields that name other things of the project; those have to be there. */
  readonly references?: References;
  /** Fields whose time must not be over yet. */
  readonly future?: readonly string[];
}

/** Whoever calls. */
export interface CampaignsCaller {
  readonly kind: 'admin' | 'api';
  /** `bootstrap`, `console`, or the id of the key; what the audit names as actor. */
  readonly keyId: string;
  /** The project of an API key. */
  readonly projectId: string | null;
  readonly scopes: ReadonlySet<Scope>;
  readonly expiresUs: number | null;
  /** Requests a minute; null where none are counted (a login to the console). */
  readonly ratePerMinute: number | null;
}

/** What is left of a caller's requests after this one. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Until the bucket is full again, in whole seconds. */
  readonly resetSeconds: number;
}

export interface CampaignsContext {
  readonly ports: CampaignsPorts;
  readonly caller: CampaignsCaller;
  /** The project acted in; empty for operations that are exempt from project context. */
  readonly projectId: string;
  /** Check everything, write nothing: `?dry_run=true` over REST, no `confirm: true` over MCP. */
  readonly dryRun: boolean;
  /** What the rate limit had to say of this request. */
  readonly allowance: Allowance;
  readonly requestId: string;
  readonly signal: AbortSignal;
  header(name: string): string | undefined;
}
