import { ConfigError, describeProblem } from '../../config/problem.ts';
import { DONE, FAILED, type Invocation } from '../command.ts';

/** `postern config check`: every problem on a line of its own, not only the first. */
export async function configCheck(invocation: Invocation): Promise<number> {
  const json = invocation.has('json');
  try {
    const { config, warnings } = await invocation.config();
    if (json) invocation.say(JSON.stringify({ ok: true, problems: [], warnings }));
    else
      invocation.say(
        `The configuration is good (${config.file ?? 'no file; flags, environment and defaults'}).`,
      );
    if (!json) for (const warning of warnings) invocation.warn(`warning: ${warning}`);
    return DONE;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    if (json) invocation.say(JSON.stringify({ ok: false, problems: error.problems, warnings: [] }));
    else for (const problem of error.problems) invocation.warn(describeProblem(problem));
    return FAILED;
  }
}
