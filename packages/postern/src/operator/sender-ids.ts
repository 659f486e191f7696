/**
 * Says why nobody has such an id on a platform, or null. Platforms make new forms of ids, so an entry is taken as it
 * is given; but one that was mistyped would let nobody in without a word.
 */
export function oddSenderId(source: string, senderId: string): string | null {
  if (source === 'discord' && !/^\d{15,20}$/.test(senderId)) {
    return `${senderId} is no id of Discord's, which are long numbers: switch on Developer Mode, right-click the person, Copy User ID`;
  }
  if (source !== 'imessage') return null;
  const address = senderId.replace(/^(?:sms|rcs):/, '');
  if (/^[\d\s().+-]*$/.test(address) && !/^\+[1-9]\d{6,14}$/.test(address) && address === senderId) {
    return `${senderId} is no number as Postern writes it: give the country code and no spaces, as in +15551234567`;
  }
  if (address.includes('@') && address !== address.toLowerCase())
    return `${senderId} has capitals, and addresses are kept in lower case: ${senderId.toLowerCase()}`;
  return null;
}
