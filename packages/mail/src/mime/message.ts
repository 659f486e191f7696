import { needsSmtpUtf8 } from '../addresses.ts';
import { type Mailbox, mailboxField, textField, tokensField } from '../headers/fields.ts';
import { HeaderField } from '../headers/header-field.ts';
import { dateField, messageIdField } from '../headers/origin.ts';
import { parameterField } from '../headers/parameters.ts';
import { assertFieldName, HeaderError } from '../headers/values.ts';
import { type BodyPart, compileBodyPart } from './body-part.ts';
import { chooseBoundary } from './boundary.ts';
import { ByteWriter } from './byte-writer.ts';
import { fill, type HoleValues, holesOf, type Template } from './template.ts';

/**
 * Messages compiled once and rendered for each recipient (RFC 5322, 2045, 2046). A rendering writes the same bytes
 * whatever was rendered before it.
 */

/** A field beside those that every message has. */
export interface ExtraField {
  readonly name: string;
  readonly value: Template;
  /** `text` is encoded where needed; `tokens` must be visible ASCII and goes out byte for byte. */
  readonly form: 'text' | 'tokens';
}

export interface MessageSource {
  readonly from: Mailbox;
  readonly replyTo?: Mailbox | null | undefined;
  readonly subject: Template;
  /**
   * Further fields, in their order: with holes, or whole as `identifierField` and its like write them. Those that
   * this module writes itself may not be among them.
   */
  readonly fields?: readonly (ExtraField | string)[];
  /** At least one of the two; both become multipart/alternative. */
  readonly text?: Template | null | undefined;
  readonly html?: Template | null | undefined;
  /** The boundary follows from it: the same seed and content give the same bytes. */
  readonly seed: string;
}

/** What one copy has for itself. */
export interface Rendering {
  readonly to: Mailbox;
  /** Milliseconds since the epoch. */
  readonly date: number;
  /** Without angle brackets. */
  readonly messageId: string;
  /** By the names of the holes. */
  readonly values: HoleValues;
}

export interface RenderedMessage {
  readonly fields: readonly HeaderField[];
  /** What follows the empty line, CRLF only. */
  readonly body: Buffer;
  /** Whether a field holds UTF-8, which only SMTPUTF8 can carry. */
  readonly utf8: boolean;
}

export interface CompiledMessage {
  /** The names of all holes, each once. */
  readonly holes: readonly string[];
  /** @throws HeaderError, MissingValueError */
  render(rendering: Rendering): RenderedMessage;
}

const OWN_FIELDS = new Set([
  'bcc',
  'content-transfer-encoding',
  'content-type',
  'date',
  'dkim-signature',
  'from',
  'message-id',
  'mime-version',
  'reply-to',
  'subject',
  'to',
]);

/**
 * Compiles a message.
 *
 * @throws HeaderError when a fixed value cannot stand in its field, or a field is given twice.
 */
export function compileMessage(source: MessageSource): CompiledMessage {
  const { from, replyTo, subject, fields: extras = [] } = source;
  const content = compileContent(source);
  const before = [fixed(mailboxField('From', [from]))];
  if (replyTo != null) before.push(fixed(mailboxField('Reply-To', [replyTo])));
  const subjectField = compileField({ name: 'Subject', value: subject, form: 'text' });
  const extraFields = compileExtras(extras);
  const utf8From = needsSmtpUtf8(from.address.wire) || needsSmtpUtf8(replyTo?.address.wire ?? '');
  const templates = [subject, source.text ?? '', source.html ?? '', ...extras.flatMap(extraTemplate)];
  const scratch = new ByteWriter();
  return {
    holes: [...new Set(templates.flatMap(holesOf))],
    render({ to, date, messageId, values }) {
      scratch.reset();
      content.write(scratch, values);
      return {
        fields: [
          fixed(dateField(date)),
          ...before,
          fixed(mailboxField('To', [to])),
          subjectField(values),
          fixed(messageIdField(messageId)),
          ...extraFields.map((field) => field(values)),
          ...content.fields,
        ],
        body: scratch.copy(),
        utf8: utf8From || needsSmtpUtf8(to.address.wire),
      };
    },
  };
}

/**
 * The bytes of a message.
 *
 * @param signature a whole DKIM-Signature field, which goes on top; empty for none.
 */
export function messageBytes({ fields, body, utf8 }: RenderedMessage, signature = ''): Buffer {
  let head = signature;
  for (const field of fields) head += field.text;
  head += '\r\n';
  const encoding = utf8 ? 'utf8' : 'latin1';
  const headOctets = utf8 ? Buffer.byteLength(head) : head.length;
  const bytes = Buffer.allocUnsafe(headOctets + body.length);
  bytes.write(head, 0, encoding);
  bytes.set(body, headOctets);
  return bytes;
}

type FieldRenderer = (values: HoleValues) => HeaderField;

const fixed = (text: string) => new HeaderField(text);

function compileField({ name, value, form }: ExtraField): FieldRenderer {
  const write = form === 'text' ? textField : tokensField;
  if (holesOf(value).length > 0) return (values) => fixed(write(name, fill(value, values)));
  const field = fixed(write(name, fill(value, {})));
  return () => field;
}

/** A whole field: name, colon, and lines of which all but the first begin with a space. */
const WHOLE_FIELD = /^[!-9;-~]+: [^\r\n\0]*(?:\r\n [^\r\n\0]*)*\r\n$/;

function compileExtras(extras: readonly (ExtraField | string)[]): FieldRenderer[] {
  const seen = new Set(OWN_FIELDS);
  return extras.map((extra) => {
    const name = typeof extra === 'string' ? extra.slice(0, extra.indexOf(':')) : extra.name;
    assertFieldName(name);
    if (seen.has(name.toLowerCase())) throw new HeaderError(name, 'repeated');
    seen.add(name.toLowerCase());
    if (typeof extra !== 'string') return compileField(extra);
    if (!WHOLE_FIELD.test(extra)) throw new HeaderError(name, 'control_character');
    const field = fixed(extra);
    return () => field;
  });
}

function extraTemplate(extra: ExtraField | string): Template[] {
  return typeof extra === 'string' ? [] : [extra.value];
}

interface Content {
  readonly fields: readonly HeaderField[];
  write(out: ByteWriter, values: HoleValues): void;
}

function compileContent({ text, html, seed }: MessageSource): Content {
  const version = fixed(tokensField('MIME-Version', '1.0'));
  const textPart = text == null ? undefined : compileTextPart('text/plain', text);
  const htmlPart = html == null ? undefined : compileTextPart('text/html', html);
  const [first, second] = [textPart, htmlPart].filter((part) => part !== undefined);
  if (first === undefined) throw new TypeError('A message needs a text or an html body');
  if (second === undefined) {
    return {
      fields: [version, ...first.fields],
      write(out, values) {
        first.body.write(out, values);
        endLine(out);
      },
    };
  }
  const plain = [text, html].flatMap((body) => (typeof body === 'string' ? [body] : []));
  const boundary = chooseBoundary(seed, plain);
  const opening = (part: TextPart, lead: string) =>
    Buffer.from(`${lead}--${boundary}\r\n${part.fields.map((field) => field.text).join('')}\r\n`, 'latin1');
  const [beforeFirst, beforeSecond] = [opening(first, ''), opening(second, '\r\n')];
  const closing = Buffer.from(`\r\n--${boundary}--\r\n`, 'latin1');
  return {
    fields: [version, fixed(parameterField('Content-Type', 'multipart/alternative', { boundary }))],
    write(out, values) {
      out.append(beforeFirst);
      first.body.write(out, values);
      out.append(beforeSecond);
      second.body.write(out, values);
      out.append(closing);
    },
  };
}

const CRLF = Buffer.from('\r\n');

/** A message ends with a whole line, so that SMTP and DKIM see the same bytes. */
function endLine(out: ByteWriter): void {
  if (out.length === 0 || out.bytes[out.length - 1] !== CRLF[1]) out.append(CRLF);
}

interface TextPart {
  readonly fields: readonly HeaderField[];
  readonly body: BodyPart;
}

function compileTextPart(type: string, template: Template): TextPart {
  const body = compileBodyPart(template);
  return {
    fields: [
      fixed(parameterField('Content-Type', type, { charset: 'utf-8' })),
      fixed(tokensField('Content-Transfer-Encoding', body.encoding)),
    ],
    body,
  };
}
