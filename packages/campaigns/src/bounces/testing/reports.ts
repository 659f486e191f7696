/** Lines as they are on the wire. */
export const lines = (...text: string[]) => Buffer.from(`${text.join('\r\n')}\r\n`);

/** A delivery status notification (RFC 3464) about one recipient. */
export function dsn(recipient: string, action: string, status: string, diagnostic = 'said so'): Buffer {
  return lines(
    'From: MAILER-DAEMON@mx.example.org',
    'Subject: Undelivered',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'It did not arrive.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.org',
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: smtp; 550 ${status} ${diagnostic}`,
    '--b--',
  );
}

/** A complaint in the abuse reporting format (RFC 5965). */
export const complaint = (messageId: string, type = 'abuse') =>
  lines(
    'From: feedback@isp.example',
    'Subject: FW: Hello',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=feedback-report; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Somebody complained.',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    `Feedback-Type: ${type}`,
    'User-Agent: isp/1',
    'Version: 1',
    '--b',
    'Content-Type: message/rfc822',
    '',
    `Message-ID: <${messageId}>`,
    'Subject: Hello',
    '',
    'Hello',
    '--b--',
  );
