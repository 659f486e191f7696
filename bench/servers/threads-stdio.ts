import process from 'node:process';
import { runThreadsStdio } from '../../packages/threads/src/stdio/index.ts';

/** Program: the tools' server of a session from its sources, as `postern mcp threads` runs it where no bundle is. */

process.exitCode = await runThreadsStdio(process.env);
