import { posix } from 'node:path';
import type { ErrorCatalogue } from '../../../packages/kit/src/index.ts';
import { exampleFaults, type RecordedExample } from './examples.ts';
import { link, table } from './markdown.ts';
import { indexRow, operationPage, toolPage } from './pages.ts';
import { openApiEntry, type ReferenceService } from './service.ts';

/** All reference pages together, and what is wrong with them. */

export interface SiteInputs {
  readonly services: readonly ReferenceService[];
  readonly examples: readonly RecordedExample[];
  /** `commit 41fdb26` */
  readonly commit: string;
  readonly version: string;
  /** Pages beside those of the services, by path. */
  readonly more: ReadonlyMap<string, string>;
  /** Codes that stand in `errors`, by the code of the answer, with their meanings. */
  readonly inside: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface Site {
  /** Text by path. */
  readonly pages: ReadonlyMap<string, string>;
  /** A line each; with any, the pages are not in step with the code. */
  readonly faults: readonly string[];
}

export function referenceSite(inputs: SiteInputs): Site {
  const { services, examples, commit } = inputs;
  const pages = new Map(inputs.more);
  const faults: string[] = [];
  for (const service of services) {
    const stamp = stampOf(service, commit);
    for (const operation of service.operations) {
      const { name } = operation;
      const example = examples.find((one) => one.service === service.name && one.operation === name);
      const page = { service, operation, example, stamp };
      pages.set(`${service.name}/operations/${name}.md`, operationPage(page));
      if (operation.tool) pages.set(`${service.name}/tools/${name}.md`, toolPage(page));
      if (!openApiEntry(service, operation)) faults.push(`${name}: its OpenAPI document does not have it`);
      if (!service.hasExamples) continue;
      if (example === undefined) faults.push(`${name}: has no example`);
      else faults.push(...exampleFaults(operation, example));
    }
    pages.set(`${service.name}/openapi.json`, `${JSON.stringify(service.document, null, 2)}\n`);
    pages.set(`${service.name}/index.md`, indexOf(service, stamp));
    pages.set(service.errorsPage, errorsPage(service.dialect.catalogue, inputs.inside));
  }
  pages.set('index.md', topPage(inputs));
  return { pages, faults: [...faults, ...brokenLinks(pages)] };
}

function stampOf({ document }: ReferenceService, commit: string): string {
  return `Generated from Postern ${commit}, OpenAPI ${document.info.version}, in step`;
}

function indexOf(service: ReferenceService, stamp: string): string {
  return [
    `# ${service.title}`,
    '',
    stamp,
    '',
    link('OpenAPI', 'openapi.json'),
    '',
    ...table(
      ['tool', 'operation', 'when'],
      service.operations.map((operation) => indexRow(service, operation)),
    ),
    '',
  ].join('\n');
}

function topPage({ services, commit, version, more }: SiteInputs): string {
  return [
    `# Reference of Postern ${version}`,
    '',
    `Generated from Postern ${commit}, in step`,
    '',
    ...services.map(({ name, title }) => `- ${link(title, `${name}/index.md`)}`),
    ...[...new Set(services.map(({ errorsPage }) => errorsPage))].map(
      (path) => `- ${link(titleOf(path), path)}`,
    ),
    ...[...more.keys()].map((path) => `- ${link(titleOf(path), path)}`),
    '',
  ].join('\n');
}

/** `inbox/errors.md` as `Inbox errors`. */
function titleOf(path: string): string {
  return path
    .replace(/\.md$/, '')
    .replaceAll('/', ' ')
    .replace(/^./, (first) => first.toUpperCase());
}

function errorsPage(catalogue: ErrorCatalogue, inside: SiteInputs['inside']): string {
  const sections = Object.entries(catalogue).flatMap(([code, { status, summary }]) => {
    const details = Object.entries(inside[code] ?? {});
    const codes = table(
      ['code in errors', 'meaning'],
      details.map(([name, meaning]) => [`\`${name}\``, meaning]),
    );
    return [
      `## ${code}`,
      '',
      `Status ${status}. ${summary}`,
      '',
      ...(details.length > 0 ? [...codes, ''] : []),
    ];
  });
  const lead = 'A running hub has each of them at `/errors/<code>`, where the `type` of a problem leads.';
  return ['# Errors', '', lead, '', ...sections].join('\n');
}

/** Links that lead to no page, or to no heading of it. */
function brokenLinks(pages: ReadonlyMap<string, string>): string[] {
  const faults: string[] = [];
  for (const [path, text] of pages) {
    if (!path.endsWith('.md')) continue;
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file = '', heading] = target.split('#');
      const found = pages.get(posix.join(posix.dirname(path), file));
      const isThere =
        found !== undefined && (heading === undefined || found.toLowerCase().includes(`\n## ${heading}\n`));
      if (!isThere) faults.push(`${path}: the link to ${target} leads nowhere`);
    }
  }
  return faults;
}
