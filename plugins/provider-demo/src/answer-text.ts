import type { Conversation } from './conversation.ts';
import { cutToCharacters } from './text/cut-text.ts';
import { mostCentral, nearest } from './text/rank-sentences.ts';
import { isHeading, isQuestion, type Sentence, sentencesOf } from './text/sentences.ts';
import { wordsOf } from './text/words.ts';

const ANSWER_SENTENCES = 3;
/** From so many sentences on, a text is summarized. */
const SUMMARIZED_FROM = 3;
const SUMMARY_SHARE = 4;
const QUOTED_CHARACTERS = 200;

/** An answer out of the conversation's own sentences; where none serves, a plain statement of what arrived. */
export function answerText(conversation: Conversation): string {
  const { question, toolResults, others } = conversation;
  if (toolResults.length > 0) return `[demo] The tools answered: ${condensed(toolResults.join('\n'))}`;
  const sentences = sentencesOf(question);
  const asked = [sentences.at(-1), sentences[0]].find((sentence) => sentence && isQuestion(sentence));
  if (asked) return nearestSentences(asked, [...others, question]);
  const bodies = sentences.filter((sentence) => !isHeading(sentence));
  if (bodies.length >= SUMMARIZED_FROM) return summary(bodies);
  const count = wordsOf(question).length;
  const what = count === 1 ? 'One word arrived' : `${count} words arrived`;
  return `[demo] ${what}: ${cutToCharacters(question.trim(), QUOTED_CHARACTERS)}`.trimEnd();
}

function nearestSentences(asked: Sentence, texts: readonly string[]): string {
  const candidates = sentencesOf(texts.join('\n')).filter((each) => !isQuestion(each) && !isHeading(each));
  const found = nearest(candidates, asked.terms, ANSWER_SENTENCES);
  if (found.length > 0) return joined(found);
  return `[demo] Nothing in the conversation is near the question: ${cutToCharacters(asked.text, QUOTED_CHARACTERS)}`;
}

function condensed(text: string): string {
  const sentences = sentencesOf(text);
  return sentences.length < SUMMARIZED_FROM ? text.trim() : summary(sentences);
}

function summary(sentences: readonly Sentence[]): string {
  return joined(mostCentral(sentences, Math.min(5, Math.ceil(sentences.length / SUMMARY_SHARE))));
}

function joined(sentences: readonly Sentence[]): string {
  return sentences.map(({ text }) => text).join(' ');
}
