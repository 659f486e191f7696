import { commonFailure, type ErrorDialect, type Failure } from '@postern/kit';
import { notAnObject } from '../invoke.ts';
import { isJsonObject } from '../json.ts';

/**
 * The SDK answers `arguments` that are no object with a protocol error of its own, and drops an argument named
 * `__proto__`, before any code of ours. Here both are validation errors like every other wrong argument, so
 * arguments travel past the SDK inside an object, under a name no argument can have.
 */
const PACKED = '\0arguments';

/** The same JSON-RPC message, or batch of them, with the arguments of tool calls packed. */
export function packArguments(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(packArguments);
  if (!isJsonObject(message) || message.method !== 'tools/call' || !isJsonObject(message.params))
    return message;
  const { params } = message;
  if (!Object.hasOwn(params, 'arguments')) return message;
  return { ...message, params: { ...params, arguments: { [PACKED]: params.arguments } } };
}

export type Arguments =
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly failure: Failure };

/** The arguments of a call as the SDK hands them over; none are none given. */
export function unpackArguments(
  packed: Record<string, unknown> | undefined,
  dialect: ErrorDialect,
): Arguments {
  const value = packed && Object.hasOwn(packed, PACKED) ? packed[PACKED] : (packed ?? {});
  const fault = notAnObject(value, 'arguments');
  if (fault === null) return { ok: true, value: value as Record<string, unknown> };
  return { ok: false, failure: commonFailure(dialect, 'validation', `${fault.field} ${fault.message}`) };
}
