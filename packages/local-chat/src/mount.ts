import { type MountOptions, mountOperations } from '@postern/http';
import type { Operation } from '@postern/kit';
import type { FastifyInstance } from 'fastify';
import type { ChatContext, ChatRights } from './operation.ts';
import { postMessage } from './operations/post-message.ts';
import { localChatOperations } from './operations.ts';
import type { ChatService } from './service.ts';

const LOCAL_CHAT_PREFIX = '/local/api';

export interface LocalChatMount<Caller>
  extends Pick<MountOptions<ChatContext, ChatRights, Caller>, 'dialect' | 'log' | 'authenticate' | 'admit'> {
  readonly chat: ChatService;
}

/**
 * Mounts the people's side of the chat under `/local/api`. `authenticate` lets only an admin through.
 * Stop the chat before, or together with, the server: open event streams end on either.
 */
export function mountLocalChat<Caller>(app: FastifyInstance, options: LocalChatMount<Caller>): void {
  const { chat, ...rest } = options;
  const operations = localChatOperations as readonly unknown[] as readonly Operation<
    ChatContext,
    ChatRights
  >[];
  const mount: MountOptions<ChatContext, ChatRights, Caller> = {
    ...rest,
    prefix: LOCAL_CHAT_PREFIX,
    contextFor: ({ closing, header }) => ({ chat, closing, header }),
  };
  mountOperations(
    app,
    operations.filter((operation) => operation.name !== postMessage.name),
    mount,
  );
  // The only one that carries files.
  mountOperations(
    app,
    operations.filter((operation) => operation.name === postMessage.name),
    {
      ...mount,
      bodyLimit: chat.limits.messageBodyBytes,
    },
  );
}
