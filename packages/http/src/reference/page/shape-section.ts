import type { SchemaObject } from '../../schemas/components.ts';
import { boundsOf } from '../bounds-text.ts';
import { type Html, html, prose } from './html.ts';

/** A schema that endpoints share, with its members as a table. */
export function shapeSection(name: string, schema: SchemaObject): Html {
  return html`<section id="schema-${name}">
<h2>${name}</h2>
<p>${prose(schema.description ?? '')}</p>
${schema.properties && membersTable(schema)}
</section>
`;
}

/** Members that are objects themselves follow, indented. */
function membersTable(schema: SchemaObject): Html {
  return html`<table><thead><tr><th>Member</th><th>Type</th><th></th></tr></thead><tbody>${rows(schema, '')}</tbody></table>`;
}

function rows(schema: SchemaObject, prefix: string): Html[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = prefix + name;
    const required = schema.required?.includes(name) ? html` <small>required</small>` : undefined;
    const row = html`<tr><td><code>${path}</code>${required}</td><td>${typeName(member)}</td><td>${notes(member)}</td></tr>`;
    const inner = member.items?.properties
      ? { schema: member.items, at: `${path}[].` }
      : { schema: member, at: `${path}.` };
    return [row, ...rows(inner.schema, inner.at)];
  });
}

/** The type of a schema in a few words, with a link where it has a name. */
export function typeName(schema: SchemaObject): Html {
  if (schema.$ref !== undefined) return shapeLink(schema.$ref);
  if (schema.items) return html`array of ${typeName(schema.items)}`;
  if (Array.isArray(schema.type)) return html`${schema.type.join(' or ')}`;
  return html`${typeof schema.type === 'string' ? schema.type : schema['const'] === undefined ? 'any' : JSON.stringify(schema['const'])}`;
}

export function shapeLink(reference: string): Html {
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  return html`<a href="#schema-${name}">${name}</a>`;
}

/** Description, allowed values, bounds and default of a schema. */
export function notes(schema: SchemaObject): readonly Html[] {
  const sentences = [
    ...(schema.description === undefined ? [] : [schema.description]),
    ...(schema.enum ? [`One of ${schema.enum.map((value) => `\`${String(value)}\``).join(', ')}.`] : []),
    ...boundsOf(schema),
    ...(schema.default === undefined ? [] : [`Default \`${JSON.stringify(schema.default)}\`.`]),
  ];
  return prose(sentences.join(' '));
}
