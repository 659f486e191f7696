import * as z from 'zod';
import { operation } from '../operation.ts';
import { createProject as create } from '../projects/projects.ts';
import { projectAnswer, projectSchema } from '../projects/shapes.ts';
import { nameSchema, postalAddressSchema, slugSchema } from '../shapes/common.ts';

export const createProject = operation({
  name: 'create_project',
  call: 'Call it to open a project: a sender with its own lists, campaigns, domains and keys.',
  needs: 'Needs an admin key, and a slug that no other project has.',
  returns: 'Returns the project.',
  http: { method: 'POST', path: '/projects', status: 201 },
  tool: true,
  rights: { scope: 'admin', project: 'none' },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({
    name: nameSchema,
    slug: slugSchema,
    sender_address: postalAddressSchema.nullable().default(null),
  }),
  output: projectSchema,
  errors: ['conflict'],
  handle: async (input, { ports, caller }) => projectAnswer(await create(ports, caller.keyId, input)),
});
