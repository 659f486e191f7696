import { homedir } from 'node:os';
import { resolve, sep } from 'node:path';
import type { CampaignsConfig } from '@postern/campaigns';
import type { InboxConfig } from '@postern/inbox';
import { type ThreadsConfig, toThreadsConfig } from '@postern/threads/config';
import { Secret } from '../secrets/secret.ts';
import { companionProblems } from './companions.ts';
import { type Environment, lookUpSecret, variable } from './environment.ts';
import { expandReferences } from './expand.ts';
import { type Origins, problemAt, problemsOf } from './explain.ts';
import { ConfigError, type ConfigProblem } from './problem.ts';
import { type FileConfig, fileSchema } from './schema.ts';
import { type Setting, settings } from './settings.ts';
import { strayVariables } from './stray-variables.ts';
import { readYamlFile } from './yaml-file.ts';

const DEFAULT_FILE = 'postern.yaml';

const secretVariables = new Set(
  (settings as readonly Setting[]).filter(({ secret }) => secret).map(({ variable }) => variable),
);

/** The whole configuration, frozen to its leaves. */
export interface Config {
  /** Path of the file that was read, or null. */
  readonly file: string | null;
  /** Absolute. */
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  /** Origin without a trailing slash; null: the listener's. */
  readonly publicUrl: string | null;
  /** Null: SQLite in the data folder. */
  readonly databaseUrl: Secret | null;
  /** Null: generated on first start. */
  readonly adminKey: Secret | null;
  /** Null: generated on first start. */
  readonly bearerToken: Secret | null;
  readonly claudePath: string;
  readonly logLevel: FileConfig['logLevel'];
  readonly inbox: InboxConfig;
  /** With the relay of POSTERN_SMTP_URL, where that is given. */
  readonly campaigns: CampaignsConfig;
  /** Null: the service is off. */
  readonly threads: ThreadsConfig | null;
  /** Resolvers for domain checks; empty: the system's. */
  readonly dnsServers: readonly string[];
  readonly allowUnverifiedDomains: boolean;
}

export interface ConfigSources {
  readonly environment: Environment;
  /** Values of flags, by the name of the flag without dashes. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  /** Absolute; relative paths of flags and variables start here, those of the file where the file is. */
  readonly workingDirectory: string;
}

export interface LoadedConfig {
  readonly config: Config;
  /** Oddities that do not stop a start, a line each. */
  readonly warnings: readonly string[];
  /** What was read from the environment, by name. */
  readonly variables: readonly ReadVariable[];
}

export interface ReadVariable {
  readonly name: string;
  readonly value: string;
  /** Whether the value is a secret, or may be one; the path of a secret's file is none. */
  readonly isSecret: boolean;
}

/** What the hub itself is given, without its services. */
export type HubConfig = Omit<Config, 'inbox' | 'campaigns' | 'threads'>;

/**
 * Reads flags, environment and file into one object.
 *
 * @throws ConfigError naming every problem; its message is one line.
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  return load(sources, (values) => values);
}

/**
 * Reads what the hub itself is given, for commands on a hub that runs: what its services need (tokens of platforms,
 * say) is in the environment of the hub, and often nowhere else.
 *
 * @throws ConfigError naming every problem of that part.
 */
export function loadHubConfig(sources: ConfigSources): { readonly config: HubConfig } {
  const { inbox, campaigns, threads, ...config } = load(sources, withoutServices).config;
  return { config };
}

function withoutServices(values: Record<string, unknown>): Record<string, unknown> {
  const { inbox, campaigns, threads, ...rest } = values;
  const bearer =
    typeof inbox === 'object' && inbox !== null && 'bearerToken' in inbox
      ? { inbox: { bearerToken: inbox.bearerToken } }
      : {};
  return { ...rest, ...bearer };
}

function load(
  sources: ConfigSources,
  pick: (values: Record<string, unknown>) => Record<string, unknown>,
): LoadedConfig {
  const { environment, flags, workingDirectory } = sources;
  const warnings = strayVariables(environment);
  const named = flags.config ?? variable(environment, 'POSTERN_CONFIG');
  const fileName = named ?? DEFAULT_FILE;
  const filePath = resolve(workingDirectory, fileName);
  const file = readYamlFile(filePath, fileName);
  if (file === null && flags.config !== undefined) {
    throw new ConfigError([
      { place: 'command line', key: '--config', message: `${fileName} does not exist` },
    ]);
  }
  if (file === null && named !== undefined)
    warnings.push(`POSTERN_CONFIG names ${fileName}, which does not exist`);

  const placeInFile = (path: readonly PropertyKey[]) => file?.place(path) ?? fileName;
  const {
    values,
    expanded,
    variables: referenced,
    problems: references,
  } = expandReferences(pick(file?.values ?? {}), environment, placeInFile);
  const overlay = overlaySettings(values, sources);
  const problems = [...references, ...overlay.problems];
  if (problems.length > 0) throw new ConfigError(problems);

  const origins: Origins = { placeInFile, expanded, overlaid: overlay.origins };
  const textual = new Set([...expanded.keys(), ...overlay.origins.keys()]);
  const parsed = fileSchema.safeParse(withTypes(values, textual));
  if (!parsed.success) throw new ConfigError(problemsOf(parsed.error, values, origins));
  const companions = companionProblems(parsed.data, origins);
  if (companions.length > 0) throw new ConfigError(companions);

  const folder = resolve(filePath, '..');
  const base = overlay.origins.has('dataDir') ? workingDirectory : folder;
  const home = variable(environment, 'HOME') ?? homedir();
  const data = { ...parsed.data, dataDir: resolve(base, fromHome(parsed.data.dataDir, home)) };
  const config = toConfig(data, file === null ? null : filePath, { folder, home });
  const misplaced = misplacedFolders(config, origins);
  if (misplaced.length > 0) throw new ConfigError(misplaced);
  const variables = readVariables(environment, overlay.origins, referenced);
  return { config: deepFreeze(config), warnings, variables };
}

function readVariables(
  environment: Environment,
  overlaid: Origins['overlaid'],
  referenced: ReadonlyMap<string, boolean>,
): ReadVariable[] {
  const isSecret = new Map(referenced);
  for (const { place, key } of overlaid.values()) {
    if (place === 'environment') isSecret.set(key, isSecret.get(key) === true || secretVariables.has(key));
  }
  return [...isSecret]
    .map(([name, secret]) => ({ name, value: environment[name] ?? '', isSecret: secret }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Agents may not touch the data folder, so none can work in it. */
function misplacedFolders({ dataDir, threads }: Config, origins: Origins): ConfigProblem[] {
  if (threads === null) return [];
  const folders = [
    { path: ['threads', 'workingDir'], folder: threads.workingDir },
    ...threads.allowedDirs.map((folder, index) => ({ path: ['threads', 'allowedDirs', index], folder })),
  ];
  return folders
    .filter(({ folder }) => folder === dataDir || folder.startsWith(dataDir + sep))
    .map(({ path }) => problemAt(path, 'a folder in the data folder', 'a folder outside of it', origins));
}

/** Puts flags and variables over the file's values; `values` is changed. */
function overlaySettings(values: Record<string, unknown>, { environment, flags }: ConfigSources) {
  const origins = new Map<string, { place: string; key: string }>();
  const problems: ConfigProblem[] = [];
  for (const setting of settings as readonly Setting[]) {
    const flag = setting.flag === undefined ? undefined : flags[setting.flag];
    if (flag !== undefined) {
      origins.set(setting.key, { place: 'command line', key: `--${setting.flag}` });
      setAt(values, setting.key, flag);
      continue;
    }
    const found = setting.secret
      ? lookUpSecret(environment, setting.variable)
      : plainVariable(environment, setting.variable);
    if (found.found === 'nothing') continue;
    if (found.found === 'fault') {
      problems.push({ place: 'environment', key: found.variable, message: found.message });
      continue;
    }
    origins.set(setting.key, { place: 'environment', key: found.variable });
    setAt(values, setting.key, found.value);
  }
  return { origins, problems };
}

function plainVariable(environment: Environment, name: string) {
  const value = variable(environment, name);
  return value === undefined
    ? ({ found: 'nothing' } as const)
    : ({ found: 'value', value, variable: name } as const);
}

function setAt(values: Record<string, unknown>, key: string, value: string): void {
  const steps = key.split('.');
  const last = steps.pop() as string;
  let target = values;
  for (const step of steps) {
    const next = target[step];
    // A section that is no mapping stays, to be refused by the schema.
    if (next !== undefined && next !== null && (typeof next !== 'object' || Array.isArray(next))) return;
    target[step] = next ?? {};
    target = target[step] as Record<string, unknown>;
  }
  target[last] = value;
}

/** Texts of flags and the environment, where the schema wants a number or a truth value, as that. */
function withTypes(values: Record<string, unknown>, textual: ReadonlySet<string>): unknown {
  const result = fileSchema.safeParse(values);
  if (result.success) return values;
  const typed = structuredClone(values);
  for (const issue of result.error.issues) {
    if (issue.code !== 'invalid_type' || !textual.has(issue.path.join('.'))) continue;
    const parent = issue.path
      .slice(0, -1)
      .reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown>)[step], typed);
    const holder = parent as Record<PropertyKey, unknown>;
    const last = issue.path.at(-1) as PropertyKey;
    holder[last] = typedText(String(holder[last]).trim(), issue.expected);
  }
  return typed;
}

function typedText(text: string, expected: string): unknown {
  if ((expected === 'number' || expected === 'int') && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (expected === 'boolean' && /^(?:true|on|yes|1)$/i.test(text)) return true;
  if (expected === 'boolean' && /^(?:false|off|no|0)$/i.test(text)) return false;
  return text;
}

/** `~` is the shell's; where no shell was asked, such as in the file, it would name a folder of that name. */
function fromHome(path: string, home: string): string {
  return path.replace(/^~(?=$|[/\\])/, () => home);
}

function toConfig(
  parsed: FileConfig,
  file: string | null,
  { folder, home }: { readonly folder: string; readonly home: string },
): Config {
  const { bearerToken, ...inbox } = parsed.inbox;
  const secret = (text: string | undefined) => (text === undefined ? null : new Secret(text));
  return {
    file,
    dataDir: parsed.dataDir,
    host: parsed.host,
    port: parsed.port,
    publicUrl: parsed.publicUrl ?? null,
    databaseUrl: secret(parsed.databaseUrl),
    adminKey: secret(parsed.adminKey),
    bearerToken: secret(bearerToken),
    claudePath: parsed.claudePath,
    logLevel: parsed.logLevel,
    inbox,
    campaigns: withRelay(parsed.campaigns, parsed.smtpUrl),
    threads:
      parsed.threads === undefined
        ? null
        : toThreadsConfig(parsed.threads, {
            base: folder,
            home,
            decisionTimeoutMs: parsed.decisionBridgeTimeoutMs,
          }),
    dnsServers: parsed.dnsServers?.split(',').map((server) => server.trim()) ?? [],
    allowUnverifiedDomains: parsed.allowUnverifiedDomains,
  };
}

/** One relay given by itself stands for all of the file's. */
function withRelay(campaigns: FileConfig['campaigns'], url: string | undefined): CampaignsConfig {
  return url === undefined ? campaigns : { ...campaigns, smtp: [{ url, tls: 'opportunistic' }] };
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
