import { beforeEach, describe, expect, test } from 'vitest';
import { type CampaignsOperation, campaignsOperations } from '../packages/campaigns/src/index.ts';
import { exampleFaults, type RecordedExample, takesConfirm } from '../scripts/lib/reference/examples.ts';
import { fieldRows } from '../scripts/lib/reference/fields.ts';
import { recordCampaignsExample } from '../scripts/lib/reference/recording/campaigns.ts';
import { services } from '../scripts/lib/reference/services.ts';
import { referenceSite } from '../scripts/lib/reference/site.ts';

/** What makes the reference pages (`npm run docs`), on one operation of each kind. */

const campaigns = services.find(({ name }) => name === 'campaigns')!;
const deleteList = operationNamed('delete_list');

function operationNamed(name: string): CampaignsOperation {
  return campaignsOperations.find((operation) => operation.name === name)!;
}

function siteOf(operations: readonly CampaignsOperation[], examples: readonly RecordedExample[]) {
  return referenceSite({
    services: [{ ...campaigns, operations }],
    examples,
    commit: 'commit 1234567',
    version: '9.9.9',
    more: new Map(),
    inside: { precondition_failed: { in_use: 'Something needs it.' } },
  });
}

describe('the pages of an operation that takes confirm', () => {
  let example: RecordedExample;
  let pages: ReadonlyMap<string, string>;
  let tool: string;
  let operation: string;

  beforeEach(async () => {
    // Calls repeat themselves, ids and times included; they end with the test they were made in.
    example = await recordCampaignsExample(deleteList);
    const site = siteOf([deleteList], [example]);
    expect(site.faults).toEqual([]);
    pages = site.pages;
    tool = pages.get('campaigns/tools/delete_list.md')!;
    operation = pages.get('campaigns/operations/delete_list.md')!;
  });

  test('say what they were made from', () => {
    const stamp = `Generated from Postern commit 1234567, OpenAPI ${campaigns.document.info.version}, in step`;
    for (const page of [tool, operation]) expect(page.split('\n')[2]).toBe(stamp);
  });

  test('have the three lines, and lead to each other', () => {
    const { call, needs, returns } = deleteList;
    for (const page of [tool, operation]) expect(page).toContain(`\n${call}\n\n${needs}\n\n${returns}\n`);
    expect(tool).toContain('](../operations/delete_list.md)');
    expect(operation).toContain('](../tools/delete_list.md)');
  });

  test('tell arguments, outcomes and errors', () => {
    expect(tool).toContain('| `list_id` | yes |');
    expect(tool).toContain('| `confirm` | no | boolean, default `false` |');
    expect(tool).not.toContain('dry_run');
    expect(operation).toContain('| `dry_run` | query');
    for (const outcome of ['would_delete', 'deleted', 'already_deleted']) {
      expect(tool).toContain(`| \`${outcome}\` |`);
    }
    for (const page of [tool, operation]) {
      expect(page).toContain('(../../errors.md#precondition_failed)');
      expect(page).toContain('(../../errors.md#unauthorized)');
    }
    expect(pages.get('errors.md')).toMatch(
      /## precondition_failed\n[\s\S]*\| `in_use` \| Something needs it\. \|/,
    );
  });

  test('show the dry run of the tool, and the real call over REST', () => {
    expect(example.tool?.arguments).toMatchObject({ confirm: false });
    expect(example.tool?.structured).toMatchObject({ outcome: 'would_delete' });
    expect(example.rest).toMatchObject({ status: 200, answer: { outcome: 'deleted' } });
    expect(tool).toContain('"confirm": false');
    expect(tool).toContain('"outcome": "would_delete"');
    expect(operation).toMatch(/\nDELETE \/api\/v1\/lists\/lst_[0-9A-Z]{26} HTTP\/1\.1\n/);
  });

  test('are not made from an example that no longer fits', () => {
    const { shape } = deleteList.toolInput!;
    const stricter = {
      ...deleteList,
      toolInput: deleteList.toolInput!.extend({ reason: shape.list_id! }),
      output: operationNamed('cancel_campaign').output,
    };
    expect(exampleFaults(stricter, example)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^delete_list: answer\.outcome: /),
        expect.stringMatching(/^delete_list: arguments\.reason: /),
        expect.stringMatching(/^delete_list: structuredContent\.campaign: /),
      ]),
    );
    const real = {
      ...example,
      tool: { ...example.tool!, arguments: { ...example.rest.input, confirm: true } },
    };
    expect(exampleFaults(deleteList, real)).toEqual([expect.stringContaining('"confirm": false')]);
  });
});

test('a call that is refused is no example', async () => {
  const example = await recordCampaignsExample(operationNamed('whoami'));
  const refused = { ...example, rest: { ...example.rest, status: 404 } };
  expect(exampleFaults(operationNamed('whoami'), refused)).toEqual([expect.stringContaining('404')]);
});

test('an example is of one service, whatever others call their operations', async () => {
  const example = await recordCampaignsExample(deleteList);
  const { faults } = siteOf([deleteList], [{ ...example, service: 'inbox' }]);
  expect(faults).toEqual(['delete_list: has no example']);
});

test('an operation without an example is told, and one that OpenAPI does not have', () => {
  const renamed = { ...deleteList, name: 'forget_list' };
  expect(siteOf([renamed], []).faults).toEqual([
    'forget_list: its OpenAPI document does not have it',
    'forget_list: has no example',
  ]);
});

test('all pages of all services lead to pages that are there', () => {
  const site = referenceSite({
    services,
    examples: [],
    commit: '',
    version: '',
    more: new Map(),
    inside: {},
  });
  const others = site.faults.filter((fault) => !fault.endsWith(': has no example'));
  expect(others).toEqual([]);
  for (const { name, operations } of services) {
    for (const operation of operations) {
      expect([...site.pages.keys()]).toContain(`${name}/operations/${operation.name}.md`);
      expect(site.pages.has(`${name}/tools/${operation.name}.md`)).toBe(operation.tool);
    }
  }
});

test('ten tools take confirm', () => {
  expect(campaignsOperations.filter(takesConfirm)).toHaveLength(10);
});

test('fields inside of others are told, and one that holds itself once', () => {
  const node = {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 5, description: 'Called so' },
      inner: { type: 'array', items: { $ref: '#/$defs/node' } },
    },
    required: ['name'],
  };
  const from = {
    type: 'object',
    properties: { email: { type: 'string', format: 'email' } },
    required: ['email'],
  };
  const schema = {
    type: 'object',
    properties: { from: { anyOf: [from, { type: 'null' }] }, tree: { $ref: '#/$defs/node' } },
    required: ['from', 'tree'],
    $defs: { node },
  };
  expect(fieldRows(schema)).toEqual([
    { path: 'from', required: true, type: 'object or null', meaning: '' },
    { path: 'from.email', required: true, type: 'string, email', meaning: '' },
    { path: 'tree', required: true, type: 'object', meaning: '' },
    { path: 'tree.name', required: true, type: 'string, at most 5 characters', meaning: 'Called so' },
    { path: 'tree.inner', required: false, type: 'array of object', meaning: '' },
  ]);
});
