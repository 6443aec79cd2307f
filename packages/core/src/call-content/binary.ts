/** Bytes that were left out. */
interface OmittedBytes {
  readonly bytes: number;
  readonly mediaType?: string;
}

/** Members whose base64 is a file, in the gateway's own messages and in those of vendors. */
const fileNames: ReadonlySet<string> = new Set(['data', 'file_data', 'b64_json', 'image_data']);

/** The member of an object that has the bytes of a file. */
export function binaryIn(object: object): ({ readonly name: string } & OmittedBytes) | undefined {
  const fields = object as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(fields)) {
    if (!fileNames.has(name) || typeof value !== 'string' || !isBase64(value)) continue;
    const told = fields['mediaType'] ?? fields['media_type'] ?? fields['format'];
    if (name === 'data' && told === undefined) continue;
    return { name, bytes: sizeOf(value), ...(typeof told === 'string' && { mediaType: told.slice(0, 100) }) };
  }
  return undefined;
}

/** Longer words made only of base64 characters are files, signatures or keys, not text. */
const LONGEST_WORD = 256;

/** Members that refer to files by URL, whose query may contain a signature. */
const addressNames: ReadonlySet<string> = new Set(['url', 'image_url', 'file_url']);

/** A string without the bytes of files in it. @param name Of the member whose value it is. */
export function withoutBinary(
  value: string,
  name: string,
): { readonly text: string; readonly omitted: readonly OmittedBytes[] } {
  if (value.length > LONGEST_WORD && isBase64(value)) return { text: '[omitted]', omitted: [{ bytes: sizeOf(value) }] };
  const omitted: OmittedBytes[] = [];
  const text = !value.includes('data:')
    ? value
    : value.replaceAll(/data:([\w.+-]+\/[\w.+-]+)[\w=;.+-]*,([\w+/=%-]*)/g, (_, mediaType: string, data: string) => {
        omitted.push({ bytes: sizeOf(data), mediaType: mediaType.slice(0, 100) });
        return `data:${mediaType},[omitted]`;
      });
  return { text: addressNames.has(name) ? withoutQuery(text) : text, omitted };
}

const isBase64 = (text: string): boolean => !/[^\w+/=\-\r\n]/.test(text);

const sizeOf = (base64: string): number => Math.floor((base64.length * 3) / 4);

function withoutQuery(address: string): string {
  if (!/^https?:/i.test(address)) return address;
  return address.replace(/\/\/[^/@]*@/, '//[hidden]@').replace(/\?.*$/s, '?[hidden]');
}
