import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type OpenApiDocument, openApiDocument, problemDialect } from '../packages/http/src/index.ts';
import { inboxDialect, inboxOpenApi, inboxOperations } from '../packages/inbox/src/index.ts';
import type { ErrorDialect } from '../packages/kit/src/index.ts';
import { localChatOperations } from '../packages/local-chat/src/index.ts';
import { commands } from '../packages/postern/src/cli/commands.ts';
import { manual } from '../packages/postern/src/cli/help.ts';
import { type Setting, settings } from '../packages/postern/src/config/settings.ts';
import { consoleOperations } from '../packages/postern/src/console/api.ts';
import { version } from '../packages/postern/src/version.ts';
import { root } from './lib/paths.ts';
import { errorLine, type ReferenceOptions, referencePage } from './lib/reference-page.ts';

/** `npm run docs`: the reference, made from the code, into `docs/.generated/`. */

const TARGET = join(root, 'docs/.generated');
/** Where the default listener is; a running hub serves its own documents with its own address. */
const SERVER = 'http://127.0.0.1:8080';

interface Service {
  readonly name: string;
  readonly title: string;
  readonly prefix: string;
  readonly dialect: ErrorDialect;
  readonly operations: readonly ReferenceOptions['operation'][];
  readonly document?: OpenApiDocument;
}

const problem = problemDialect({ publicUrl: () => SERVER });
const services: readonly Service[] = [
  {
    name: 'inbox',
    title: 'Inbox',
    prefix: '',
    dialect: inboxDialect,
    operations: inboxOperations,
    document: inboxOpenApi(SERVER),
  },
  {
    name: 'local-chat',
    title: 'Local chat',
    prefix: '/local/api',
    dialect: problem,
    operations: localChatOperations,
  },
  {
    name: 'console',
    title: 'Console',
    prefix: '/console/api',
    dialect: problem,
    operations: consoleOperations,
  },
];

rmSync(TARGET, { recursive: true, force: true });
for (const service of services) {
  write(
    `${service.name}/openapi.json`,
    `${JSON.stringify(service.document ?? documentOf(service), null, 2)}\n`,
  );
  for (const operation of service.operations) {
    const { prefix, dialect } = service;
    write(
      `${service.name}/${operation.name}.md`,
      referencePage({ operation, prefix, catalogue: dialect.catalogue }),
    );
  }
}
write('errors.md', errorsPage());
write('commands.md', commandsPage());
write('index.md', indexPage());

function documentOf({ title, prefix, dialect, operations }: Service): OpenApiDocument {
  return openApiDocument<ReferenceOptions['operation']>({
    title: `Postern ${title.toLowerCase()}`,
    version,
    description: `The API of the ${title.toLowerCase()}, for the operator.`,
    serverUrl: `${SERVER}${prefix}`,
    operations,
    dialect,
    bearerDescription: 'An admin key.',
    isOpen: ({ rights }) => rights === 'anyone',
  });
}

function errorsPage(): string {
  const section = (title: string, { catalogue }: ErrorDialect) => [
    `## ${title}`,
    '',
    ...Object.keys(catalogue).map((code) => errorLine(code, catalogue)),
    '',
  ];
  return ['# Errors', '', ...section('Inbox', inboxDialect), ...section('Everything else', problem)].join(
    '\n',
  );
}

function commandsPage(): string {
  const pages = commands.flatMap((command) => [
    `## ${command.words.join(' ')}`,
    '',
    '```text',
    manual(command),
    '```',
    '',
  ]);
  const rows = settings.map(
    (setting: Setting) =>
      `| \`${setting.variable}\` | \`${setting.key}\` | ${setting.flag === undefined ? '' : `\`--${setting.flag}\``} | ${setting.default} | ${setting.meaning} |`,
  );
  return [
    '# Commands',
    '',
    ...pages,
    '# Settings',
    '',
    '| variable | key | flag | default | meaning |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function indexPage(): string {
  const lists = services.flatMap(({ name, title, operations }) => [
    `## ${title}`,
    '',
    `[OpenAPI](${name}/openapi.json)`,
    '',
    ...operations.map(
      (operation) => `- [${operation.name}](${name}/${operation.name}.md)${operation.tool ? ' (tool)' : ''}`,
    ),
    '',
  ]);
  return [
    `# Reference of Postern ${version}`,
    '',
    '- [Commands and settings](commands.md)',
    '- [Errors](errors.md)',
    '',
    ...lists,
  ].join('\n');
}

function write(path: string, text: string): void {
  const target = join(TARGET, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
