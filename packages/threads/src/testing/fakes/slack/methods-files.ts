import { type Method, memberChannelArg, Refused, structuredArg, textArg } from './call.ts';
import { addMessage } from './changes.ts';
import { type StoredFile, wireFile } from './world.ts';

/** files.info does not tell where an upload was shared until it was asked this often. */
const HIDDEN_SHARES = 1;

export const fileMethods: Readonly<Record<string, Method>> = {
  'files.getUploadURLExternal'(args, { world, origin }) {
    const length = Number(textArg(args, 'length'));
    const name = textArg(args, 'filename');
    if (name === '' || !Number.isInteger(length) || length < 1) throw new Refused('invalid_arguments');
    if (length > 1_073_741_824) throw new Refused('file_upload_size_restricted');
    const id = world.newId('F');
    world.files.set(id, {
      ...{ id, name, length, bytes: null, share: null, hiddenShares: HIDDEN_SHARES },
      mime: 'application/octet-stream',
    });
    return { upload_url: `${origin}/upload/v1/${id}`, file_id: id };
  },

  'files.completeUploadExternal'(args, context) {
    const { world } = context;
    const given = structuredArg(args, 'files');
    const ids = Array.isArray(given) ? given.map((each: { id?: unknown }) => String(each.id)) : [];
    const files = ids
      .map((id) => world.files.get(id))
      .filter((file): file is StoredFile => file?.bytes != null);
    if (files.length === 0 || files.length !== ids.length) throw new Refused('file_not_found');
    const channel = memberChannelArg(context, args, 'channel_id');
    const threadTs = textArg(args, 'thread_ts') || null;
    if (threadTs !== null && world.find(channel.id, threadTs) === null) throw new Refused('thread_not_found');
    addMessage(context, {
      ...{ channel: channel.id, threadTs, files, subtype: 'file_share', user: world.bot.id },
      botId: world.bot.botId,
      text: textArg(args, 'initial_comment'),
    });
    return { files: files.map(({ id, name }) => ({ id, title: name })) };
  },

  'files.info'(args, { world, origin }) {
    const file = world.files.get(textArg(args, 'file'));
    if (file === undefined) throw new Refused('file_not_found');
    const isHidden = file.hiddenShares > 0;
    file.hiddenShares -= 1;
    const { share } = file;
    const isPublic = share !== null && world.channels.get(share.channel)?.kind === 'public';
    const shares = share === null || isHidden ? {} : { [share.channel]: [{ ts: share.ts }] };
    const url = file.url ?? `${origin}/files-pri/${world.teamId}-${file.id}/${encodeURIComponent(file.name)}`;
    return {
      file: {
        ...wireFile(file),
        url_private: url,
        url_private_download: url,
        shares: isPublic ? { public: shares } : { private: shares },
      },
    };
  },
};
