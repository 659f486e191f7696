import * as z from 'zod';
import { SIGNATURE_BYTES, sniffMime } from './file-type.ts';
import { optionalText, text } from './inputs.ts';
import { openOutboundFile } from './outbound-file.ts';
import { defineTool, refuse } from './tool.ts';

export const sendFile = defineTool({
  name: 'send_file',
  description:
    "Uploads a file into this session's thread. Call it when someone asked for a file, or you made something people should see, such as a picture, a plot or a document. The file has to lie in the session's working directory or among the files people sent into the session; links, empty files and files that may hold credentials are refused.",
  input: z.object({
    path: text('Absolute path of the file.'),
    caption: optionalText('Text shown with the file, in Markdown.'),
  }),
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  feature: null,
  async run({ path, caption }, context) {
    const { platform, session, outboundFiles } = context;
    if (!outboundFiles.enabled) return refuse('Sending files is turned off here.');
    if (!platform.capabilities.upload) return refuse('This platform takes no files.');
    if (caption !== null && platform.split(caption).length > 1) {
      return refuse('The caption does not fit one message; send the file with a shorter one.');
    }
    const outcome = await openOutboundFile(path, {
      workingDir: session.workingDir,
      uploadDir: session.uploadDir,
      deniedPaths: context.deniedPaths,
      maxBytes: outboundFiles.maxBytes,
    });
    if (!outcome.ok) return refuse(outcome.reason);
    await using file = outcome.file;
    const mime = await sniffMime(await file.head(SIGNATURE_BYTES));
    const ref = await platform.upload({
      channelId: session.channelId,
      threadId: session.threadId,
      name: file.name,
      mime,
      sizeBytes: file.sizeBytes,
      content: file.content(),
      caption,
    });
    await context.audit.record(platform.id, {
      action: 'file_sent',
      sessionId: session.id,
      channelId: session.channelId,
      threadId: session.threadId,
      actor: 'agent',
      tool: 'send_file',
      details: { path, bytes: file.sizeBytes, mime },
    });
    return { ok: true, postId: ref.postId, url: platform.permalink(ref) };
  },
});
