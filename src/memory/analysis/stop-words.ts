// Words that say nothing about the subject of a question. They are dropped from queries only: saved texts keep them, so a
// query of stop-words alone still finds its text.
const ENGLISH =
  'a about above after again against all am an and any are as at be because been before being below between both but by can could did do does doing done down during each either else few for from further had has have having he her here hers him his how i if in into is it its itself just many may me might more most much must my no nor not of off on once only or other our ours out over own same shall she should so some such than that the their theirs them then there these they this those through to too under until up upon us very was we were what when where which while who whom whose why will with would you your yours';
const RUSSIAN =
  'а без более больше будем будет будете будешь будто буду будут бы был была были было быть в вам вами вас ведь весь во вот все всего всем всеми всех всю вся вы где да даже для до его ее ей ему если есть еще же за здесь зачем и из или им ими их к каждый как какая какие каким какими каких каков какова каково каковы какого какое какой каком какому какую когда кого ком кому которая которого которое которой котором которому которую которые который которым которыми которых кто куда ли либо между меня мне мной может можно мы на над нам нами нас наш не него нее ней нем нему нет ни ним ними них но о об она они оно от откуда по под после потому почему при про с сам свое своего своей своем своему своих свой свою себе себя сколько со собой та так такая также такие такое такой там те тебе тебя тем теми тех то тобой тогда того тоже той только том тому тот ту ты у уж уже чего чей чем чему что чтобы чье чьи чья эта эти этим этими этих это этого этой этом этому этот эту я является являются';
const CHINESE =
  '的 了 是 在 什 么 哪 谁 何 吗 呢 吧 和 与 被 怎 这 那 它 他 她 们 以 及 或 也 都 就 而 于 之 几 着 个 什么 哪个 哪些 哪里 哪儿 哪种 哪位 哪一 哪年 多少 怎么 怎样 如何 为何 为什 这个 那个 这些 那些 我们 你们 他们 她们 它们 可以 以及 是什 么是 是谁 是在 的是 是哪 在哪 有多 有哪 了什 了多 的什 几个';

export const STOP_WORDS: ReadonlySet<string> = new Set(
  [ENGLISH, RUSSIAN, CHINESE].flatMap((language) => language.split(' ')),
);
