import { describe, expect, it } from 'vitest';
import { TemplateFault, translateTemplate } from './translate-template.ts';

const translate = async (text: string, files: Readonly<Record<string, string>> = {}) =>
  await translateTemplate({ name: 'a.minijinja', text }, async (name) => ({ name, text: files[name] ?? '' }));

describe('a template of MiniJinja', () => {
  it.each([
    ['About {{ topic }}.\n', 'About {{input.topic}}.', ['topic']],
    ['{{user.name}}, {{ user.age }}', '{{input.user.name}}, {{input.user.age}}', ['user']],
    ['One\n\n{{- topic -}}\n\nTwo {# a note #} three', 'One{{input.topic}}Two  three', ['topic']],
    ['{# first -#}\n  Text', 'Text', []],
    ['{% raw %}{% if %} { "a": {} }{% endraw %}', '{% if %} { "a": {} }', []],
    ['A {%- raw -%} b {%- endraw -%} c', 'Abc', []],
    ['{ "a": { "b": 1 }}', '{ "a": { "b": 1 }}', []],
    ['no line end after this\r\n', 'no line end after this', []],
  ])('%j is the prompt %j', async (text, prompt, variables) => {
    expect(await translate(text)).toEqual({ text: prompt, variables });
  });

  it('has the text and the variables of the files that it includes', async () => {
    const files = { 'tone.minijinja': 'Be {{ tone }}.\n' };
    expect(await translate("{% include 'tone.minijinja' %} About {{ topic }}", files)).toEqual({
      text: 'Be {{input.tone}}. About {{input.topic}}',
      variables: ['tone', 'topic'],
    });
    const refused = translateTemplate({ name: 'a', text: "\n {% include 'b' %}" }, undefined);
    await expect(refused).rejects.toThrow("a:2:2 gateway.template_filesystem_access does not allow {% include 'b' %}");
  });

  it.each([
    ['{{ name | upper }}', '1:1 a prompt has no expressions: {{ name | upper }}'],
    ['a\nb {{ 1 + 1 }}', '2:3 a prompt has no expressions: {{ 1 + 1 }}'],
    ['{% for a in b %}{{ a }}{% endfor %}', '1:1 a prompt has no statements: {% for a in b %}'],
    ['{% if a %}b{% endif %}', '1:1 a prompt has no statements: {% if a %}'],
    ['{% raw %}{{ a }}{% endraw %}', '1:1 a prompt cannot have {{…}} in its text'],
    ['text {{ name', '1:6 a tag that is not closed'],
  ])('%j cannot be a prompt, and its place is named', async (text, message) => {
    await expect(translate(text)).rejects.toThrow(new TemplateFault(`a.minijinja:${message}`));
  });
});
