import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';

/**
 * A certificate for `localhost` and 127.0.0.1, signed by itself and good for a hundred years. Its key is published
 * right here, so it protects nothing; it is for tests alone.
 */

export const LOCALHOST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIDJzCCAg+gAwIBAgIURpWtAK79zX75OZGcgJOeMpVQRI8wDQYJKoZIhvcNAQEL
BQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTIwMTAwMTMzNFoYDzIxMjYx
MTA3MDAxMzM0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwggEiMA0GCSqGSIb3DQEB
AQUAA4IBDwAwggEKAoIBAQDKZE3+9qU39bxViVpsVMBN7diNUd+pSm1cjOjmWY1I
hrwDMcSsRXsgwA4/+Xj6hH1wcP7RSIntAFe1g06V8I1CyonRet/zjZyuPdObQpJd
23GJTR2iQ1xbZx//w/GsUK+H3F0z7zR9eP41re0jMuiI+G3ShyPYMczfMfgSfSm2
SRLv86jpv5oO9cfpkTuHxC3u+f/qzJ5gSczwKCQYZo8s56gWBmWQqwv2mSje4MSL
Jqxi0E41f75Fzb3DP5Wg/jPKIhXfJfhbvCs4TMaLrcNneiZP1/zgZD+2c1ZTvO0o
by5UWcaH8tmKs/XuMji4K2Dqjv4Y+5gd4uSUGiEjetJZAgMBAAGjbzBtMB0GA1Ud
DgQWBBQQXGzFpyBkL9p1Ir7ECHrf690wNDAfBgNVHSMEGDAWgBQQXGzFpyBkL9p1
Ir7ECHrf690wNDAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQTMBGCCWxvY2FsaG9z
dIcEfwAAATANBgkqhkiG9w0BAQsFAAOCAQEAClZTXLOjfeBMxZNtzeFnSh5vSNDd
bIUnmw+Ko/QIU59E5b5PsQisvChEuHvoGbWRppRNEHWs8KwwlPx4cXKEhgcx+byY
52HzaYT3Q58Pwmt/3Zq32BShQ5b73FBa8FYxuaCHGq9SMbrohlRRjJF4jHnFjQe+
2Z1CBF6lYWrkn35yKMxkFNGEXaehQv9qfTNH8oIOxlqkqsL7zOI8moSjbABSVMl2
LEPdUTnUTePgV3ShUpeVroC8EQZ2FVU5Q0tpL1d6DqlDvkbPFF1jMj8JjeSiQFUw
f+RT947qwZh5B/9CyEKUWwY8M5PxaR/J55QBB2p1PGZUYqjkfbLxvBB0hA==
-----END CERTIFICATE-----`;

const LOCALHOST_KEY = `-----BEGIN PRIVATE KEY-----
MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQDKZE3+9qU39bxV
iVpsVMBN7diNUd+pSm1cjOjmWY1IhrwDMcSsRXsgwA4/+Xj6hH1wcP7RSIntAFe1
g06V8I1CyonRet/zjZyuPdObQpJd23GJTR2iQ1xbZx//w/GsUK+H3F0z7zR9eP41
re0jMuiI+G3ShyPYMczfMfgSfSm2SRLv86jpv5oO9cfpkTuHxC3u+f/qzJ5gSczw
KCQYZo8s56gWBmWQqwv2mSje4MSLJqxi0E41f75Fzb3DP5Wg/jPKIhXfJfhbvCs4
TMaLrcNneiZP1/zgZD+2c1ZTvO0oby5UWcaH8tmKs/XuMji4K2Dqjv4Y+5gd4uSU
GiEjetJZAgMBAAECggEALmIhe+Kzx6jiIipJ1lTwA4wUWoLegtJDUPgcMhpo5iu2
r/a6b4624rERMvkuEB/IDbpfs7/vmCjBcSBoJLXN8fYv8pm59HvKYiZaNhViLO9r
TD+noHXWlz4Bl+CkpMyTBcxrcckK2wydGdlD5RK4NxfUN3DwNo5nOOmfREF6C0O4
pAseKhqzzMRj3kZjt4qJoRSdlwHBYeKRFfS5f/o9y7dq3YVHr4CSrYIpXk8doDbe
D9ot8xHiHdWmpn9jdSXHiTgUnclWZf4kdj3X17AM/oZT9IPTU8Hd4Fm19JSevhIR
bsUBUXpVLB2qT58XKmf/Y/8PR5A8D4o30nanGW8aOQKBgQDmEGoQwOPjOE8AYkjc
f9XiXN3YNv7s8s9sOGQMRRoytlPnWtXQioFvOkkrvWBuXI9FgqIFynA6Z+/9BMsY
9jw8+hWFIyFPUSdrh7BULwfJgzo0V80VvUMbEaR5cUWcBUYryXHN/TiGFjmfR0kT
f0m4nTUJiP6+Oazb0NgPPc6sZQKBgQDhNUaFS8sSZvBDtkDCz4sTgmQJkvhKCIQI
tUfdaz730xmCHFl6FsScqFJtojaT4KNylw5EpamYIyxUDp+Ky9qkNN2IqogE6gRO
TaMRLHCUw+b/rxQrVLVpOii5i+Dx3SLUzEOtZsdEzC7kaAJ3+SzCTbxZO9a2QVZn
c01/R2Bs5QKBgHiVdeJeF5PKua2r1iCsaECDCEwBV1B+W7WPQPElbvvRkNycQaFS
V1EjLaLdWaO+o+F8/MsoNfaG78SgNIta1GvpcEoeBaF7GbxEnGkjVWOLgoBY3Mde
McQIVTrJ4gBKy2K77QhYhr3Q/Fa9mFG9z7gRvfDHey3dMPrt1bD3ZlH5AoGAQGdx
8XDJdEvH7jVSs+OSjFO/tBU5uEJTMAJXuPSQn2LZaqIc3JNiSsLAP+Yh4YxeccjN
JciShZWZebhs286MimUr7YeHOpCKBrKhLaod0A1uJDS3eeTRtHQTbWyZOdHZwi1g
NVitJ/mUd3FfM1wo9rAwavx33Ms2oIMS6JFK/BkCgYASc7vLAiH4ALAcl3LTyCNW
LqkGXwDM6jj36Y36SQEIZXl140tJ50yZo9vkvEdDmcbEvcoQRUaxgdodvmT73NTO
e83a/aKgBl+YWGg7JK0h5y65WW0KUS+JLwCjifp+ojZpElFipNpEiv110h2yhOEE
uzVRtcgWRp3ZpULewcAMgw==
-----END PRIVATE KEY-----`;

const context = createSecureContext({ cert: LOCALHOST_CERTIFICATE, key: LOCALHOST_KEY });

/** The server's side of TLS over a socket, with this certificate. */
export function secureServerSide(socket: Socket): TLSSocket {
  const secured = new TLSSocket(socket, { isServer: true, secureContext: context });
  secured.on('error', () => socket.destroy());
  return secured;
}
