import type { CampaignsPorts } from '../ports.ts';
import { runInWorker, workerTask } from '../workers/task.ts';
import {
  type Compilation,
  type CompileOptions,
  ContentError,
  type ContentSource,
  compileContent,
} from './compile.ts';
import type { Place, Recipient, TemplateField } from './compiled.ts';
import { renderContent } from './personalise.ts';
import { TemplateError } from './template-error.ts';

/** Compiling and rendering what somebody wrote, on a thread of its own. */

interface SentError {
  readonly field: TemplateField;
  readonly reason: string;
  readonly at: Place | null;
}

/** Errors travel between threads as data. */
type Sent<Value> = { readonly value: Value } | { readonly errors: readonly SentError[] };

export interface Rendered {
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
  readonly warnings: readonly string[];
}

interface CompileInput {
  readonly source: ContentSource;
  readonly options: CompileOptions;
}

interface RenderInput extends CompileInput {
  readonly variables: Recipient['variables'];
}

export const compileTask = workerTask(
  import.meta.url,
  'compileTask',
  (_ports, { source, options }: CompileInput): Promise<Sent<Compilation>> =>
    sending(() => compileContent(source, options)),
);

export const renderTask = workerTask(
  import.meta.url,
  'renderTask',
  (_ports, { source, options, variables }: RenderInput): Promise<Sent<Rendered>> =>
    sending(async () => {
      const { content, warnings } = await compileContent(source, options);
      return { ...renderContent(content, { variables, tracking: null }), warnings };
    }),
);

/** @throws ContentError */
export async function compileOnThread(
  ports: CampaignsPorts,
  source: ContentSource,
  options: CompileOptions,
): Promise<Compilation> {
  return received(await runInWorker(ports, compileTask, { source, options }));
}

/**
 * Compiles and renders at once, with links as they are and no pixel.
 *
 * @throws ContentError
 */
export async function renderOnThread(
  ports: CampaignsPorts,
  source: ContentSource,
  variables: Recipient['variables'],
  strict: boolean,
): Promise<Rendered> {
  const options: CompileOptions = { clicks: false, opens: false, strict };
  return received(await runInWorker(ports, renderTask, { source, options, variables }));
}

async function sending<Value>(work: () => Promise<Value>): Promise<Sent<Value>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof ContentError) return { errors: error.errors.map(plain) };
    if (error instanceof TemplateError) return { errors: [plain(error)] };
    throw error;
  }
}

function plain({ field, reason, at }: TemplateError): SentError {
  return { field, reason, at };
}

function received<Value>(sent: Sent<Value>): Value {
  if ('value' in sent) return sent.value;
  throw new ContentError(sent.errors.map(({ field, reason, at }) => new TemplateError(field, reason, at)));
}
