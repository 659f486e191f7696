import * as z from 'zod';

/** Rows as they are read: what another program wrote is checked once, here. */

const text = z.string().nullable().catch(null);
const number = z.number().nullable().catch(null);
const blob = z.instanceof(Uint8Array).nullable().catch(null);
const flag = z
  .number()
  .catch(0)
  .transform((value) => value !== 0);

export const messageRowSchema = z.object({
  row: z.int(),
  guid: z.string().min(1),
  text,
  subject: text,
  body: blob,
  summary: blob,
  service: text,
  handle: text,
  dateMs: number,
  editedMs: number,
  retractedMs: number,
  fromMe: flag,
  itemType: number,
  associatedType: number,
  threadOriginator: text,
  balloon: text,
  hasAttachments: flag,
  addressedTo: text,
  account: text,
  error: number,
  sent: flag,
  chatGuid: text,
  chatStyle: number,
  chatIdentifier: text,
  chatName: text,
  chatLogin: text,
  chatAddressedTo: text,
});

export type MessageRow = z.output<typeof messageRowSchema>;

export const attachmentRowSchema = z.object({
  guid: z.string().min(1),
  filename: text,
  name: text,
  mime: text,
  state: number,
  sizeBytes: z.number().min(0).catch(0),
  hidden: flag,
});

export type AttachmentRow = z.output<typeof attachmentRowSchema>;

export const chatRowSchema = z.object({ guid: z.string().min(1), identifier: text, service: text });

export type ChatRow = z.output<typeof chatRowSchema>;

/** Kinds of chats, as the column `style` has them. */
export const DIRECT_STYLE = 45;
export const GROUP_STYLE = 43;
