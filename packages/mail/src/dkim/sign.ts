import { constants, hash, type KeyObject, sign } from 'node:crypto';
import { parseDomain } from '../addresses.ts';
import { relaxField } from '../headers/header-field.ts';
import type { RenderedMessage } from '../mime/message.ts';
import { relaxBody } from './canonical-body.ts';
import { DkimKeyError, readDkimKey } from './keys.ts';

/**
 * DKIM signatures: rsa-sha256, relaxed/relaxed, the whole body (RFC 6376, RFC 8301). From is oversigned: listed once
 * more than it occurs, so that a second one breaks the signature.
 */

/** What is signed, in the order of the `h=` tag; those that a message does not have are left out of it. */
export const SIGNED_FIELDS: readonly string[] = [
  'From',
  'Reply-To',
  'To',
  'Subject',
  'Date',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'List-Id',
  'Feedback-ID',
];

export interface DkimSigner {
  readonly domain: string;
  readonly selector: string;
  /**
   * The DKIM-Signature field of a message, to be put on top of it. About 0.7 ms of a core.
   *
   * @param timestamp seconds since the epoch, for the `t=` tag.
   */
  sign(message: RenderedMessage, timestamp: number): string;
  /** The same on libuv's threads; the event loop is held for the hash only. */
  signAsync(message: RenderedMessage, timestamp: number): Promise<string>;
}

const SELECTOR = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

/**
 * @param options.privateKey in PEM.
 * @throws DkimKeyError when the key, the domain or the selector cannot be used.
 */
export function createDkimSigner(options: {
  readonly domain: string;
  readonly selector: string;
  readonly privateKey: string;
}): DkimSigner {
  const { selector } = options;
  const domain = parseDomain(options.domain);
  if (typeof domain !== 'string') throw new DkimKeyError('The DKIM domain is not a domain');
  if (!SELECTOR.test(selector) || selector.length > 63)
    throw new DkimKeyError('The DKIM selector is malformed');
  const key: KeyObject = readDkimKey(options.privateKey);
  const keyOptions = { key, padding: constants.RSA_PKCS1_PADDING };
  const prepare = (message: RenderedMessage, timestamp: number) =>
    prepareSignature(message, { domain, selector, timestamp });
  return {
    domain,
    selector,
    sign(message, timestamp) {
      const { unsigned, data } = prepare(message, timestamp);
      return finish(unsigned, sign('sha256', data, keyOptions));
    },
    signAsync(message, timestamp) {
      const { unsigned, data } = prepare(message, timestamp);
      return new Promise((resolve, reject) => {
        sign('sha256', data, keyOptions, (error, signature) => {
          if (error === null) resolve(finish(unsigned, signature));
          else reject(error);
        });
      });
    },
  };
}

interface Tags {
  readonly domain: string;
  readonly selector: string;
  readonly timestamp: number;
}

function prepareSignature({ fields, body, utf8 }: RenderedMessage, { domain, selector, timestamp }: Tags) {
  const byKey = new Map(fields.map((field) => [field.key, field]));
  const names: string[] = [];
  let data = '';
  for (const name of SIGNED_FIELDS) {
    const field = byKey.get(name.toLowerCase());
    if (field === undefined) continue;
    names.push(name);
    data += field.relaxed;
  }
  // The second From adds nothing to the data, as there is none; a message that gains one no longer verifies.
  names.splice(1, 0, 'From');
  const bodyHash = hash('sha256', relaxBody(body), 'base64');
  const unsigned =
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain};\r\n` +
    ` s=${selector}; t=${Math.floor(timestamp)};\r\n` +
    ` h=${foldNames(names)};\r\n` +
    ` bh=${bodyHash};\r\n` +
    ' b=';
  // The signature's own field goes last, without its value and without its CRLF.
  data += relaxField(`${unsigned}\r\n`).slice(0, -2);
  return { unsigned, data: Buffer.from(data, utf8 ? 'utf8' : 'latin1') };
}

/** White space is allowed around the colons, so that is where the line may break. */
function foldNames(names: readonly string[]): string {
  let folded = '';
  let column = 3;
  names.forEach((name, index) => {
    const part = index < names.length - 1 ? `${name}:` : name;
    if (column + part.length > 74) {
      folded += '\r\n ';
      column = 1;
    }
    folded += part;
    column += part.length;
  });
  return folded;
}

function finish(unsigned: string, signature: Buffer): string {
  return `${unsigned}${signature.toString('base64').replace(/.{72}(?=.)/g, '$&\r\n ')}\r\n`;
}
