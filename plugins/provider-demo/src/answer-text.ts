import type { Conversation } from './conversation.ts';
import { cutToCharacters } from './cut-text.ts';
import { isHeading, isQuestion, mostCentral, nearest, type Sentence, sentencesOf } from './sentences.ts';
import { wordsOf } from './words.ts';

/** Most sentences of an answer, and fewest of a text that is summarized. */
const SENTENCES = 3;
const SUMMARY_SHARE = 4;
const QUOTED_CHARACTERS = 200;

/** An answer out of the conversation's own sentences; where none serves, a plain statement of what arrived. */
export function answerText(conversation: Conversation): string {
  const { question, toolResults, texts } = conversation;
  const results = toolResults.join('\n');
  const told = sentencesOf(results);
  if (told.length >= SENTENCES) return `[demo] The tools answered: ${summary(told)}`;
  if (results !== '') return `[demo] The tools answered: ${results.trim()}`;
  const sentences = sentencesOf(question);
  const asked = [sentences.at(-1), sentences[0]].find((sentence) => sentence && isQuestion(sentence));
  if (asked) return nearestSentences(asked, texts);
  const bodies = sentences.filter((sentence) => !isHeading(sentence));
  if (bodies.length >= SENTENCES) return summary(bodies);
  const count = wordsOf(question).length;
  const quoted = cutToCharacters(question.trim(), QUOTED_CHARACTERS);
  return `[demo] ${count} ${count === 1 ? 'word' : 'words'} arrived: ${quoted}`.trimEnd();
}

function nearestSentences(asked: Sentence, texts: readonly string[]): string {
  const candidates = sentencesOf(texts.join('\n')).filter((each) => !isQuestion(each) && !isHeading(each));
  const found = nearest(candidates, asked.terms, SENTENCES);
  if (found.length > 0) return found.map(({ text }) => text).join(' ');
  return `[demo] Nothing in the conversation is near the question: ${cutToCharacters(asked.text, QUOTED_CHARACTERS)}`;
}

function summary(sentences: readonly Sentence[]): string {
  const count = Math.min(5, Math.ceil(sentences.length / SUMMARY_SHARE));
  return mostCentral(sentences, count)
    .map(({ text }) => text)
    .join(' ');
}
