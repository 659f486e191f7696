import { Agent, request } from 'node:http';

export interface HttpCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A client that keeps its connections; `fetch` would cost more than some of the answers it is to time. */
export class HttpClient implements Disposable {
  readonly #agent: Agent;

  constructor(connections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** The text of a 2xx answer. @throws Error for any other. */
  call({ method, url, headers, body }: HttpCall): Promise<string> {
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const { statusCode = 0 } = response;
          if (statusCode >= 200 && statusCode < 300) resolve(text);
          else reject(new Error(`${method} ${url}: ${statusCode} ${text.slice(0, 500)}`));
        });
      });
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
