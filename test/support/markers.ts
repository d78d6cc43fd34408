/**
 * Returns the marked secrets that the text holds: plain, URL-encoded by any rule, in hexadecimal digits, or
 * in base64.
 */
export function findMarkers(text: string, markers: readonly string[]): string[] {
  return markers.filter((marker) => formsOf(marker).some((form) => text.includes(form)));
}

function formsOf(marker: string): string[] {
  const url = encodeURIComponent(marker);
  const strict = url.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  const form = new URLSearchParams({ s: marker }).toString().slice(2);
  const encoded = [url, strict, form].flatMap((text) => [text, text.toLowerCase(), encodeURIComponent(text)]);
  return [
    marker,
    ...encoded,
    strict.replace(/%../g, (hex) => hex.toUpperCase()),
    Buffer.from(marker).toString('hex'),
    ...base64Forms(marker),
  ];
}

/** Base64 takes three bytes at a time, so a text inside another text has three possible forms. */
function base64Forms(marker: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from('\0'.repeat(before) + marker);
    const [first, last] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return (['base64', 'base64url'] as const).map((form) => bytes.toString(form).slice(first, last));
  });
}
