import { operationsOf } from '@postern/kit';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { checkOperationInput } from '../src/invoke.ts';
import { toolList } from '../src/mcp/tools.ts';
import { shortDialect } from './service.ts';

const operation = operationsOf<unknown, 'any', 'BAD'>();

const remove = operation({
  name: 'remove_things',
  call: 'Call it to remove things.',
  needs: 'Needs their ids.',
  returns: 'Returns how many there were.',
  http: { method: 'POST', path: '/things/remove' },
  tool: true,
  rights: 'any',
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({ ids: z.array(z.string()).max(10) }),
  toolInput: z.strictObject({ ids: z.array(z.string()).max(2), confirm: z.boolean().default(false) }),
  output: z.strictObject({ removed: z.int() }),
  errors: [],
  handle: async ({ ids }) => ({ removed: ids.length }),
});

test('a tool may have an input of its own, and REST does not have it', () => {
  const three = { ids: ['a', 'b', 'c'] };
  expect(checkOperationInput(remove, three, 'rest').ok).toBe(true);
  expect(checkOperationInput(remove, three, 'tool').ok).toBe(false);
  expect(checkOperationInput(remove, { ids: [], confirm: true }, 'tool')).toEqual({
    ok: true,
    value: { ids: [], confirm: true },
  });
  expect(checkOperationInput(remove, { ids: [], confirm: true }, 'rest').ok).toBe(false);
  const [tool] = toolList([remove], { dialect: shortDialect });
  expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(['ids', 'confirm']);
});
