import { restRequest } from '@postern/http';
import { inputJsonSchema, type JsonSchema } from '@postern/kit';
import { describe, expect, test } from 'vitest';
import { allScopes } from '../src/context.ts';
import { type CampaignsOperation, campaignsOperations } from '../src/operations/index.ts';
import {
  type CampaignsBench,
  campaignsBench,
  dumpTables,
  type Era,
  eras,
  examples,
  type HttpBench,
  type KeyHolder,
  type Stage,
} from '../src/testing/index.ts';

/**
 * Every operation, called by its example over REST and as a tool in both protocol eras. Benches repeat themselves, ids
 * and times included, so answers are compared byte for byte.
 */

type Input = Record<string, unknown>;

interface Scene {
  readonly stage: Stage;
  readonly http: HttpBench;
  readonly input: Input;
  /** Who makes the example's call. */
  readonly caller: KeyHolder;
  /** A key of the project with every scope. */
  readonly key: KeyHolder;
}

async function scene(operation: CampaignsOperation): Promise<Scene> {
  const bench: CampaignsBench = await campaignsBench('sqlite');
  const project = await bench.makeProject({ slug: 'harbour', name: 'Harbour' });
  const stage: Stage = { ...bench, project };
  const example = examples[operation.name];
  if (example === undefined) throw new Error(`no example of ${operation.name}`);
  const http = await bench.http();
  const key = await http.makeKey(project.project_id, allScopes);
  const input = await example.arrange(stage);
  return { stage, http, input, key, caller: example.caller === 'admin' ? http.admin : key };
}

function rest(holder: KeyHolder, operation: CampaignsOperation, input: Input) {
  const request = restRequest(operation, input);
  return holder.rest(
    `${request.method} ${request.path}`,
    request.body === null ? undefined : JSON.parse(request.body),
  );
}

const isConfirmed = (operation: CampaignsOperation) => operation.restOnly !== undefined;

/** The same error over both: problem+json, and the tool's with `errors` where the API's are of values. */
async function expectSameFailure(
  holder: KeyHolder,
  operation: CampaignsOperation,
  input: Input,
  era: Era,
  expected: { status: number; code: string },
) {
  const problem = await rest(holder, operation, input);
  expect({ status: problem.status, code: problem.body.code }).toEqual(expected);
  expect(problem.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  const { code, detail, errors } = problem.body;
  const tool = await holder.tool(operation.name, input, era);
  expect(tool).toEqual({
    isError: true,
    structured: { code, detail, ...(errors === undefined ? {} : { errors }) },
    text: `${code}: ${detail}`,
  });
  return problem.body;
}

const withExample = campaignsOperations.filter(({ name }) => Object.hasOwn(examples, name));

describe.each(withExample.map((operation) => [operation.name, operation] as const))(
  '%s',
  (name, operation) => {
    test.each(eras)('answers alike over REST and as a tool, in the %s era', async (era) => {
      const overRest = await scene(operation);
      const asTool = await scene(operation);
      expect(asTool.input).toEqual(overRest.input);
      for (const isReal of isConfirmed(operation) ? [false, true] : [true]) {
        const dryRun = isReal ? {} : { dry_run: true };
        const confirm = isReal && isConfirmed(operation) ? { confirm: true } : {};
        const before = await dumpTables(asTool.stage.ports.store);
        const answer = await rest(overRest.caller, operation, { ...overRest.input, ...dryRun });
        const tool = await asTool.caller.tool(name, { ...asTool.input, ...confirm }, era);
        expect(answer).toMatchObject({ status: isReal ? (operation.http.status ?? 200) : 200 });
        expect(tool.isError).toBe(false);
        expect(JSON.parse(tool.text)).toEqual(tool.structured);
        if (operation.http.status === 204) {
          expect(answer.body).toBeNull();
          expect(tool.structured).toEqual({
            outcome: 'deleted',
            effect: expect.stringMatching(/\.$/),
            [Object.keys(tool.structured)[2] ?? '']: null,
          });
        } else expect(tool.structured).toEqual(answer.body);
        const after = await dumpTables(asTool.stage.ports.store);
        if (!isReal || operation.annotations.readOnly) expect(after).toEqual(before);
        else expect(after).not.toEqual(before);
      }
    });

    test('refuses arguments it does not have, and null where its schema has none', async () => {
      const { caller, input } = await scene(operation);
      const answer = await caller.rest(`${operation.http.method} ${pathOf(operation, input)}?nonsense=1`);
      expect(answer.status).toBe(422);
      const unknown = { field: 'nonsense', code: 'unknown_field', message: expect.any(String) };
      expect(answer.body.errors).toContainEqual(unknown);
      const schema = inputJsonSchema(operation.toolInput ?? operation.input);
      const properties = Object.entries(schema.properties as Record<string, JsonSchema>);
      for (const era of eras) {
        const tool = await caller.tool(name, { ...input, nonsense: 1 }, era);
        const detail = expect.stringContaining('nonsense');
        expect(tool.structured).toEqual({ code: 'validation_failed', detail });
        for (const [field] of properties.filter(([, property]) => !allowsNull(property))) {
          const { structured, isError } = await caller.tool(name, { ...input, [field]: null }, era);
          const detail = expect.stringMatching(new RegExp(`^${field}\\b.*null`));
          expect({ field, isError, structured }).toEqual({
            field,
            isError: true,
            structured: { code: 'validation_failed', detail },
          });
        }
      }
    });

    test('is closed to strangers, and to keys without its scope', async () => {
      const { stage, http, input, key } = await scene(operation);
      const { scope } = operation.rights;
      const poor = await http.makeKey(
        stage.project.project_id,
        allScopes.filter((other) => other !== scope),
      );
      const stranger = http.holder('pst_api_wrong');
      const refused = await rest(stranger, operation, input);
      expect(refused).toMatchObject({ status: 401, body: { code: 'unauthorized', status: 401 } });
      expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/);
      for (const era of eras) {
        const { status, body } = await stranger.rpc('tools/call', { name, arguments: input }, era);
        expect({ status, body }).toEqual({ status: 401, body: refused.body });
        const isListed = async (holder: KeyHolder) =>
          (await holder.tools(era)).some((tool) => tool.name === name);
        expect(await isListed(http.admin)).toBe(true);
        expect(await isListed(key)).toBe(scope !== 'admin');
        expect(await isListed(poor)).toBe(scope === 'none');
        if (scope === 'none') continue;
        await expectSameFailure(poor, operation, input, era, { status: 403, code: 'forbidden' });
      }
    });

    test.runIf(operation.rights.project === 'context')('keeps to one project', async () => {
      const { stage, http, input, key } = await scene(operation);
      const { project_id } = stage.project;
      const other = await stage.makeProject();
      const stranger = await http.makeKey(other.project_id, allScopes);
      const gone = { status: 404, code: 'not_found' };
      for (const era of eras) {
        const refused = { status: 422, code: 'validation_failed' };
        const missing = await expectSameFailure(http.admin, operation, input, era, refused);
        expect(missing.errors).toEqual([
          { field: 'project_id', code: 'required', message: expect.any(String) },
        ]);
        await expectSameFailure(key, operation, { ...input, project_id: other.project_id }, era, gone);
        const never = `prj_${'0'.repeat(26)}`;
        await expectSameFailure(http.admin, operation, { ...input, project_id: never }, era, gone);
        if (!operation.http.path.includes('/:')) continue;
        await expectSameFailure(stranger, operation, input, era, gone);
        await expectSameFailure(http.admin, operation, { ...input, project_id: other.project_id }, era, gone);
      }
      const projects = stage.ports.store.db.updateTable('mail_projects').where('project_id', '=', project_id);
      await projects.set({ deleted_us: 1 }).execute();
      for (const era of eras) {
        await expectSameFailure(key, operation, input, era, gone);
        await expectSameFailure(http.admin, operation, { ...input, project_id }, era, gone);
      }
      await projects.set({ deleted_us: null }).execute();
      const answer = await rest(http.admin, operation, { ...input, project_id });
      expect(answer.status).toBe(operation.http.status ?? 200);
    });
  },
);

function pathOf(operation: CampaignsOperation, input: Input): string {
  return operation.http.path.replace(/:([a-z_]+)/g, (_, field: string) => String(input[field]));
}

function allowsNull(schema: JsonSchema): boolean {
  if (schema.type === 'null' || schema.const === null) return true;
  const alternatives = (schema.anyOf ?? schema.oneOf ?? []) as JsonSchema[];
  return alternatives.some(allowsNull);
}
