import { allScopes } from '../../../../packages/campaigns/src/context.ts';
import { API_PREFIX, type CampaignsOperation } from '../../../../packages/campaigns/src/index.ts';
import {
  campaignsBench,
  examples,
  type KeyHolder,
} from '../../../../packages/campaigns/src/testing/index.ts';
import { restRequest } from '../../../../packages/http/src/index.ts';
import { type RecordedExample, takesConfirm } from '../examples.ts';

/**
 * Makes an operation's example call as a tool and over REST, each on a database of its own. What takes `confirm` is
 * called without it as a tool, and does it over REST.
 *
 * @throws Error when there is no example, or a call fails.
 */
export async function recordCampaignsExample(operation: CampaignsOperation): Promise<RecordedExample> {
  return {
    service: 'campaigns',
    operation: operation.name,
    tool: await asTool(operation),
    rest: await overRest(operation),
  };
}

interface Scene {
  readonly caller: KeyHolder;
  readonly input: Record<string, unknown>;
}

async function arranged({ name }: CampaignsOperation): Promise<Scene> {
  const example = Object.hasOwn(examples, name) ? examples[name] : undefined;
  if (!example) throw new Error(`no example of ${name}`);
  const bench = await campaignsBench('sqlite');
  const project = await bench.makeProject({ slug: 'harbour', name: 'Harbour' });
  const http = await bench.http();
  const key = await http.makeKey(project.project_id, allScopes);
  const input = await example.arrange({ ...bench, project });
  return { caller: example.caller === 'admin' ? http.admin : key, input };
}

async function asTool(operation: CampaignsOperation): Promise<RecordedExample['tool']> {
  const { caller, input } = await arranged(operation);
  const args = takesConfirm(operation) ? { ...input, confirm: false } : input;
  const { isError, structured, text } = await caller.tool(operation.name, args);
  if (isError) throw new Error(`the tool ${operation.name} answered ${text}`);
  return { arguments: args, structured };
}

async function overRest(operation: CampaignsOperation): Promise<RecordedExample['rest']> {
  const { caller, input } = await arranged(operation);
  const { method, path, body } = restRequest(operation, input);
  const sent = body === null || body === '{}' ? null : JSON.parse(body);
  const answer = await caller.rest(`${method} ${path}`, sent ?? undefined);
  if (answer.status >= 400)
    throw new Error(`${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return {
    line: `${method} ${API_PREFIX}${path}`,
    headers: {},
    body: sent,
    input,
    status: answer.status,
    answer: answer.body,
  };
}
