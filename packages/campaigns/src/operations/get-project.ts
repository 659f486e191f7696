import * as z from 'zod';
import { operation } from '../operation.ts';
import { getProject as get } from '../projects/projects.ts';
import { projectAnswer, projectSchema } from '../projects/shapes.ts';
import { projectIdSchema } from '../shapes/common.ts';

export const getProject = operation({
  name: 'get_project',
  call: 'Call it to read one project.',
  needs: 'Needs an admin key, or an API key of this project with projects:read.',
  returns: 'Returns the project, also when it was deleted.',
  http: { method: 'GET', path: '/projects/:project_id' },
  tool: true,
  rights: { scope: 'projects:read', project: 'none' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ project_id: projectIdSchema }),
  output: projectSchema,
  errors: ['not_found'],
  handle: async (input, { ports, caller }) =>
    projectAnswer(await get(ports, caller.projectId, input.project_id)),
});
