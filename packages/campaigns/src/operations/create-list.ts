import * as z from 'zod';
import { createList as create } from '../lists/lists.ts';
import { listInput, listSchema } from '../lists/shapes.ts';
import { operation } from '../operation.ts';
import { projectIdField } from '../shapes/common.ts';

export const createList = operation({
  name: 'create_list',
  call: 'Call it to make a list of subscribers.',
  needs: 'Needs lists:write; a double opt-in list needs from before people can be added to it.',
  returns: 'Returns the list, still empty.',
  http: { method: 'POST', path: '/lists', status: 201 },
  tool: true,
  rights: { scope: 'lists:write', project: 'context' },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    name: listInput.name,
    description: listInput.description.nullable().default(null),
    opt_in: listInput.opt_in.default('single'),
    from: listInput.from.nullable().default(null),
    public: listInput.public.default(false),
  }),
  output: listSchema,
  errors: [],
  handle: (input, { ports, caller, projectId }) => create(ports, caller.keyId, projectId, input),
});
