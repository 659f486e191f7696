import type { McpServerOptions } from '@postern/http/mcp';
import { inputJsonSchema } from '@postern/kit';
import type { ThreadTool } from '../tools/tool.ts';

type ListedTool = McpServerOptions['tools'][number];

/**
 * The tools as a client sees them. None has an output schema: for `permission_prompt` the agent's program takes no
 * answer that has one, and the others' answers are told in their descriptions.
 */
export function listedTools(tools: readonly ThreadTool[]): ListedTool[] {
  return tools.map(({ name, description, input, annotations }) => {
    const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
    return {
      name,
      title,
      description,
      inputSchema: inputJsonSchema(input) as ListedTool['inputSchema'],
      annotations: {
        title,
        readOnlyHint: annotations.readOnly,
        destructiveHint: annotations.destructive,
        idempotentHint: annotations.idempotent,
        openWorldHint: annotations.openWorld,
      },
    };
  });
}
