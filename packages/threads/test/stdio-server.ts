import { runThreadsStdio } from '../src/stdio/index.ts';

/** Program: the tools' server of a session from its sources. */

process.exitCode = await runThreadsStdio(process.env);
