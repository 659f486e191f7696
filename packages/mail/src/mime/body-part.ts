import { ByteWriter } from './byte-writer.ts';
import { encodeQuotedPrintable, finishQuotedPrintable, QP_START, type QpState } from './qp.ts';
import { type Hole, type HoleValues, pieces, type Template, valueFor } from './template.ts';

/**
 * One text body, encoded ahead as far as its holes allow. What stands after a hole's line is the same in every copy
 * and is encoded once; what stands between a hole and the end of its line depends on the column where the value
 * stopped, and is encoded once for each column met. So a copy costs its values and some copying, and is byte for
 * byte what encoding the filled-in text would give.
 */

export type TransferEncoding = '7bit' | 'quoted-printable';

export interface BodyPart {
  readonly encoding: TransferEncoding;
  /** Appends the encoded body of one copy. @throws MissingValueError */
  write(out: ByteWriter, values: HoleValues): void;
}

/** Bounds what is kept of the column-dependent encodings of one part; beyond it they are encoded each time. */
const KEPT_OCTETS = 2 ** 20;

interface Encoded {
  readonly bytes: Uint8Array;
  readonly next: QpState;
}

type Step =
  | { readonly kind: 'hole'; readonly hole: Hole }
  | { readonly kind: 'fixed'; readonly encoded: Encoded }
  | { readonly kind: 'line'; readonly text: string; readonly byState: Map<QpState, Encoded> };

export function compileBodyPart(template: Template): BodyPart {
  const parts = pieces(template);
  const only = parts.length === 0 ? '' : parts[0];
  if (parts.length <= 1 && typeof only === 'string' && suitsSevenBit(only)) {
    const bytes = Buffer.from(only.replace(/\r\n|\r|\n/g, '\r\n'), 'latin1');
    return { encoding: '7bit', write: (out) => out.append(bytes) };
  }
  const steps: Step[] = [];
  for (const piece of parts) {
    if (typeof piece !== 'string') steps.push({ kind: 'hole', hole: piece });
    else steps.push(...fixedSteps(piece, steps.length === 0));
  }
  let kept = 0;
  return {
    encoding: 'quoted-printable',
    write(out, values) {
      let state = QP_START;
      for (const step of steps) {
        if (step.kind === 'hole') {
          state = encodeQuotedPrintable(valueFor(step.hole, values).toWellFormed(), state, out);
        } else if (step.kind === 'fixed') {
          out.append(step.encoded.bytes);
          state = step.encoded.next;
        } else {
          let encoded = step.byState.get(state);
          if (encoded === undefined) {
            encoded = encodeFrom(step.text, state);
            if (kept + encoded.bytes.length <= KEPT_OCTETS) {
              kept += encoded.bytes.length;
              step.byState.set(state, encoded);
            }
          }
          out.append(encoded.bytes);
          state = encoded.next;
        }
      }
      finishQuotedPrintable(state, out);
    },
  };
}

/**
 * Cuts a fixed text after its first line break: what follows one is encoded from the start of a line, whatever came
 * before. The first piece of all begins there too.
 */
function fixedSteps(text: string, atStart: boolean): Step[] {
  if (atStart) return [{ kind: 'fixed', encoded: encodeFrom(text, QP_START) }];
  const lineBreak = /\r\n|\r|\n/.exec(text);
  const cut = lineBreak === null ? text.length : lineBreak.index + lineBreak[0].length;
  const line: Step = { kind: 'line', text: text.slice(0, cut), byState: new Map() };
  if (cut === text.length) return [line];
  return [line, { kind: 'fixed', encoded: encodeFrom(text.slice(cut), QP_START) }];
}

function encodeFrom(text: string, state: QpState): Encoded {
  const out = new ByteWriter(text.length + 64);
  const next = encodeQuotedPrintable(text, state, out);
  return { bytes: out.copy(), next };
}

/** Plain ASCII in short lines, with nothing on its way that relays or mailboxes might change. */
function suitsSevenBit(text: string): boolean {
  if (!/^[\t\n\r -~]*$/.test(text)) return false;
  return text.split(/\r\n|\r|\n/).every((line) => line.length <= 76 && !/[ \t]$|^\.|^From /.test(line));
}
