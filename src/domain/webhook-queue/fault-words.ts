// Why a receiver gave no answer, as a sentence for people; the words of the network stay beside it.

/** By the code in the words of the network, the most telling first. */
const SENTENCES: readonly (readonly [code: RegExp, sentence: string])[] = [
  [/\bECONNREFUSED\b/, 'Nothing listens at that address (connection refused).'],
  [/\bENOTFOUND\b/, 'No address is known for that host name.'],
  [/\bEAI_AGAIN\b/, 'The host name could not be looked up.'],
  [/\b(?:EHOSTUNREACH|ENETUNREACH)\b/, 'No network leads to that address.'],
  [/\bETIMEDOUT\b|^no connection within /, 'The receiver did not accept the connection in time.'],
  [/^no answer (?:within|before) /, 'The receiver did not respond in time.'],
  [/\b(?:ECONNRESET|EPIPE)\b|^the connection was closed /, 'The receiver closed the connection without a response.'],
  [/^the address is not public$/, 'The address is not public, so it is not called.'],
  [/certificate has expired/i, 'The certificate of the receiver has expired.'],
  [/altnames|certificate's/i, 'The certificate of the receiver is for another host name.'],
  [/certificate/i, 'The certificate of the receiver is not trusted.'],
  [/^no TLS: /, 'The receiver does not speak TLS at that address.'],
  [/^the answer is no HTTP: |^the headers of the answer /, 'The response was not valid HTTP.'],
];

/** The sentence for a fault of a delivery; an unknown fault is repeated as it is. */
export const faultSentence = (fault: string): string =>
  SENTENCES.find(([code]) => code.test(fault))?.[1] ?? `There was no response: ${fault}.`;
