import type { ContentPart } from '../../api/operations.generated.ts';

/** A file that goes with the next message. */
export interface Attachment {
  readonly name: string;
  readonly part: ContentPart;
}

export async function attachmentOf(file: File): Promise<Attachment> {
  const [, data = ''] = (await dataUrlOf(file)).split(',', 2);
  const { name } = file;
  const mediaType = file.type === '' ? 'application/octet-stream' : file.type;
  const kind = /^(image|audio)\//.exec(mediaType)?.[1] as 'image' | 'audio' | undefined;
  return { name, part: kind ? { type: kind, data, mediaType } : { type: 'file', data, mediaType, name } };
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  });
}

interface AttachmentsProps {
  readonly attached: readonly Attachment[];
  readonly onAttached: (attached: readonly Attachment[]) => void;
}

/** The files of the next message. */
export function Attachments({ attached, onAttached }: AttachmentsProps) {
  return (
    <ul class="attachments" aria-label="Attachments">
      {attached.map((each) => (
        <li key={each.name}>
          {each.part.type === 'image' && <img src={`data:${each.part.mediaType};base64,${each.part.data}`} alt="" />}
          {each.name}{' '}
          <button
            type="button"
            class="plain"
            aria-label={`Remove ${each.name}`}
            onClick={() => onAttached(attached.filter((other) => other !== each))}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
