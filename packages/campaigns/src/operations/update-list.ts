import * as z from 'zod';
import { updateList as update } from '../lists/lists.ts';
import { listInput, listSchema } from '../lists/shapes.ts';
import { operation } from '../operation.ts';
import { listIdSchema, projectIdField } from '../shapes/common.ts';

export const updateList = operation({
  name: 'update_list',
  call: "Call it to change a list's name, description, opt-in, sender or visibility; what you leave out stays.",
  needs: 'Needs lists:write, and a list that was not deleted.',
  returns: 'Returns the list after the change.',
  http: { method: 'PATCH', path: '/lists/:list_id' },
  tool: true,
  rights: { scope: 'lists:write', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    list_id: listIdSchema,
    name: listInput.name.optional(),
    description: listInput.description.nullable().optional(),
    opt_in: listInput.opt_in.optional(),
    from: listInput.from.nullable().optional(),
    public: listInput.public.optional(),
  }),
  output: listSchema,
  errors: ['not_found'],
  handle: ({ list_id, project_id: _, ...patch }, { ports, caller, projectId }) =>
    update(ports, caller.keyId, projectId, list_id, patch),
});
