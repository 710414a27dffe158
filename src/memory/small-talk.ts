// Words of small talk and ways of asking for something: they say nothing about what is remembered. A message of nothing else recalls
// nothing.
const ENGLISH =
  'hello hi hey thanks thank please ok okay yes yeah yep nope sure good great nice cool fine perfect awesome wonderful bye goodbye welcome sorry well right understood agreed continue really done lol haha hm hmm wow tell say know think mean want need like let see go going got get make help question answer joke write written wrote explain describe summarise summarize translate convert compare show give list find create build run check feel feeling';
const RUSSIAN =
  'привет здравствуй здравствуйте спасибо пожалуйста ладно хорошо отлично супер класс круто ага угу понятно понял поняла ясно доброе добрый пока свидания извини извините продолжай дальше дела скажи расскажи знаешь думаешь хочу надо давай помоги шутку анекдот напиши напишите написал объясни объясните опиши переведи покажи сделай дай найди сравни';
const CHINESE =
  '你好 您好 大家好 早上好 下午好 晚上好 早安 晚安 谢谢 多谢 感谢 再见 拜拜 好的 好吧 不错 很好 太好了 太棒了 没问题 没关系 对不起 不好意思 辛苦了 嗯嗯 嗯 哈哈 呵呵 是的 对的 可以 知道了 明白了 收到 继续 请 怎么样 最近 告诉我 讲个 笑话 帮我 帮忙 写一 写 解释 说明 翻译 总结 关于 吗 呢 吧 啊 呀';

/** They also say which time is asked about: dropped only to see whether anything else is said. */
const TIMES = new Set('morning afternoon evening night today now утро вечер день ночи сегодня сейчас'.split(' '));
const CHINESE_TIMES = /今天|现在/gu;

const SMALL_TALK = new Set([ENGLISH, RUSSIAN].flatMap((language) => language.split(' ')));
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu;
const PHRASE = new RegExp(CHINESE.split(' ').join('|'), 'gu');

/** The question without words of small talk; the rest is unchanged. */
export function withoutSmallTalk(question: string): string {
  return question.replace(PHRASE, ' ').replace(WORD, (word) => (SMALL_TALK.has(word.toLowerCase()) ? ' ' : word));
}

/** What is left without times too. Where it has no words, nothing is asked. */
export function withoutTimes(text: string): string {
  return text.replace(CHINESE_TIMES, ' ').replace(WORD, (word) => (TIMES.has(word.toLowerCase()) ? ' ' : word));
}
