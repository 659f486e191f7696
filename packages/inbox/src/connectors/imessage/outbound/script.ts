/**
 * The one script there is. It goes to `osascript` on standard input as it stands; what is sent, and to whom, comes as
 * arguments, which AppleScript takes for texts whatever is in them.
 */
export const SEND_SCRIPT = `on run argv
	set targetKind to item 1 of argv
	set targetName to item 2 of argv
	set payloadKind to item 3 of argv
	set thePayload to item 4 of argv
	if payloadKind is "file" then
		set thePayload to (POSIX file thePayload) as alias
	end if
	tell application "Messages"
		if targetKind is "chat" then
			set theTarget to chat id targetName
		else
			set theTarget to participant targetName of (1st account whose service type = iMessage)
		end if
		send thePayload to theTarget
	end tell
end run
`;

/** Where a message goes: a chat that is there, or a person who has none yet. */
export type ScriptTarget = { readonly chatGuid: string } | { readonly participant: string };

export type ScriptPayload = { readonly text: string } | { readonly path: string };

export function scriptArguments(target: ScriptTarget, payload: ScriptPayload): string[] {
  return [
    ...('chatGuid' in target ? ['chat', target.chatGuid] : ['participant', target.participant]),
    ...('text' in payload ? ['text', payload.text] : ['file', payload.path]),
  ];
}
