import { createTransport } from 'nodemailer';
import { SAMPLE_MAIL, samplePerson } from '../lib/sample-mail.ts';

/** Program: sends the sample mail through nodemailer's pool, so many at a time as its parent asks for. */

export interface PoolOrder {
  readonly port: number;
  readonly connections: number;
  readonly count: number;
  /** PKCS #8 PEM; unsigned without it. */
  readonly privateKey: string | null;
}

export interface PoolAnswer {
  readonly milliseconds: number;
  /** Processor time of the sending alone. */
  readonly processor: number;
}

/** Mails handed over but not accepted, for each connection: enough that none of them waits for the next. */
const AHEAD = 2;

process.on('message', (order: PoolOrder) => void send(order).then((answer) => process.send?.(answer)));
process.once('disconnect', () => process.exit(0));

async function send({ port, connections, count, privateKey }: PoolOrder): Promise<PoolAnswer> {
  const transport = createTransport({
    pool: true,
    host: '127.0.0.1',
    port,
    secure: false,
    ignoreTLS: true,
    maxConnections: connections,
    maxMessages: Number.POSITIVE_INFINITY,
    ...(privateKey === null
      ? {}
      : { dkim: { domainName: 'signed.example', keySelector: 'bench', privateKey } }),
  });
  const started = performance.now();
  const used = process.cpuUsage();
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < count; index = next++) await transport.sendMail(mailFor(index));
  };
  await Promise.all(Array.from({ length: connections * AHEAD }, lane));
  const milliseconds = performance.now() - started;
  const { user, system } = process.cpuUsage(used);
  transport.close();
  return { milliseconds, processor: (user + system) / 1_000 };
}

/** As a small program would write it: values put in by replacement, and the fields that bulk mail must have. */
function mailFor(index: number) {
  const { email, name, attributes } = samplePerson(index);
  const unsubscribe = `https://news.example.com/unsubscribe/${'t'.repeat(60)}${index}`;
  const values: Readonly<Record<string, string>> = {
    'subscriber.name': name,
    'subscriber.email': email,
    'subscriber.attributes.city': attributes.city,
    unsubscribe_url: unsubscribe,
  };
  const fill = (text: string) => text.replace(/\{\{ (.+?) \}\}/g, (_, key: string) => values[key] ?? '');
  return {
    envelope: { from: `bounce-${index}@signed.example`, to: email },
    from: { name: 'News', address: 'news@signed.example' },
    to: { name, address: email },
    subject: fill(SAMPLE_MAIL.subject),
    html: fill(SAMPLE_MAIL.html),
    text: fill(SAMPLE_MAIL.text),
    headers: {
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'List-Id': 'News <news.signed.example>',
      'Feedback-ID': 'spring:project:campaign:bench',
    },
  };
}
