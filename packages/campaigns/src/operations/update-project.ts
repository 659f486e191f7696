import * as z from 'zod';
import { operation } from '../operation.ts';
import { updateProject as update } from '../projects/projects.ts';
import { projectAnswer, projectSchema } from '../projects/shapes.ts';
import { nameSchema, postalAddressSchema, projectIdSchema, slugSchema } from '../shapes/common.ts';

export const updateProject = operation({
  name: 'update_project',
  call: "Call it to change a project's name, slug or postal address; what you leave out stays.",
  needs: 'Needs an admin key, and a project that was not deleted.',
  returns: 'Returns the project after the change.',
  http: { method: 'PATCH', path: '/projects/:project_id' },
  tool: true,
  rights: { scope: 'admin', project: 'none' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({
    project_id: projectIdSchema,
    name: nameSchema.optional(),
    slug: slugSchema.optional(),
    sender_address: postalAddressSchema.nullable().optional(),
  }),
  output: projectSchema,
  errors: ['not_found', 'conflict'],
  async handle({ project_id, ...fields }, { ports, caller }) {
    return projectAnswer(await update(ports, caller.keyId, project_id, fields));
  },
});
