import type { Invocation } from '../cli/command.ts';
import type { OperatorApi } from './api.ts';
import { connectOperator } from './connect.ts';

/** Runs `work` with the API, and closes what was opened for it whatever happens. */
export async function withApi<T>(invocation: Invocation, work: (api: OperatorApi) => Promise<T>): Promise<T> {
  const api = await connectOperator(invocation);
  try {
    return await work(api);
  } finally {
    await api.close();
  }
}
