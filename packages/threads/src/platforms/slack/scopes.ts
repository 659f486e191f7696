/** What the bot may do in the workspace, each scope with what it is for. The manifest in docs/ asks for the same. */
export const BOT_SCOPES: Readonly<Record<string, string>> = {
  'channels:history': 'read the messages of public channels',
  'channels:read': 'see public channels and their members',
  'chat:write': 'write messages',
  'files:read': 'read files that people attach',
  'files:write': 'send files',
  'groups:history': 'read the messages of private channels',
  'groups:read': 'see private channels and their members',
  'im:history': 'read direct messages',
  'im:read': 'see direct conversations',
  'im:write': 'begin direct conversations',
  'pins:write': 'pin the post that says which sessions there are',
  'reactions:read': 'see reactions, which approve and deny',
  'reactions:write': 'put reactions on messages',
  'users:read': 'know people by their names',
};
