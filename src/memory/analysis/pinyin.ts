// Names of Chinese people in Latin letters and back: how 张伟 is written in pinyin, and which characters "Zhang Wei" may be. Readings are
// those of pinyin-pro 3.29.4 (MIT), one for each character, without tones; characters that are not in the table have none.

/** A syllable and the characters that are read so. */
const READINGS =
  'ai埃挨哎唉哀皑癌蔼矮艾碍爱隘 ang肮昂盎 an鞍氨安俺按暗岸胺案 ao凹敖熬翱袄傲奥懊澳嚣 a啊阿 bai白柏百摆佰败拜稗 bang邦帮梆榜膀绑棒磅蚌镑傍谤 ban斑班搬扳般颁板版扮拌伴瓣半办绊 bao苞胞包褒剥薄雹保堡饱宝抱报暴豹鲍爆 ba芭捌扒叭吧笆八疤巴拔跋靶把坝霸罢爸 bei杯碑悲卑北辈背贝钡倍狈备惫焙被蓓 beng崩绷甭泵蹦迸 ben奔苯本笨 bian鞭边编贬扁便变卞辨辩辫遍 biao标彪膘表 bie鳖憋别瘪 bing兵冰柄丙秉饼炳病并 bin彬斌濒滨宾摈 bi逼鼻比鄙笔彼碧蓖蔽毕毙毖币庇痹闭敝弊必壁臂避陛 bo玻菠播拨钵波博勃搏铂箔伯帛舶脖膊渤泊驳簿 bu捕卜哺补埠不布步部怖 cai猜裁材才财睬踩采彩菜蔡 cang苍舱仓沧藏 can餐参蚕残惭惨灿 cao操糙槽曹草 ca擦 ceng层蹭曾 cen岑 ce厕策侧册测 chai拆柴豺 chang昌猖场尝常长偿肠厂敞畅唱倡 chan搀掺蝉馋谗缠铲产阐颤 chao超抄钞朝嘲潮巢吵炒 cha插叉茬茶查碴搽察岔差诧刹 cheng撑称城橙成呈乘程惩澄诚承逞骋秤 chen郴臣辰尘晨忱沉陈趁衬琛谌 che车扯撤掣彻澈 chi吃痴持匙池迟弛驰耻齿侈尺赤翅斥炽 chong充冲虫崇宠 chou抽酬畴踌稠愁筹仇绸瞅丑臭 chuai揣 chuang疮窗床闯创 chuan川穿椽传船喘串 chui吹炊捶锤垂 chun春椿醇唇淳纯蠢 chuo戳绰 chu初出橱厨躇锄雏滁除楚础储矗搐触处畜褚 ci疵茨磁雌辞慈瓷词此刺赐次 cong聪葱囱匆从丛 cou凑 cuan蹿篡窜 cui摧崔催脆瘁粹淬翠 cun村存寸 cuo磋撮搓措挫错 cu粗醋簇促 dai呆歹傣戴带殆代贷袋待逮怠 dang当挡党荡档 dan耽担丹单郸掸胆旦氮但惮淡诞蛋 dao刀捣蹈倒岛祷导到稻悼道盗 da搭达答瘩打大 deng蹬灯登等瞪凳邓 de德得的 dian颠掂滇碘点典靛垫电佃甸店惦奠淀殿 diao碉叼雕凋刁掉吊钓 die跌爹碟蝶迭谍叠 ding丁盯叮钉顶鼎锭定订 diu丢 di堤低滴迪敌笛狄涤嫡抵底地蒂第帝弟递缔 dong东冬董懂动栋侗恫冻洞 dou兜抖斗陡豆逗痘都窦 duan端短锻段断缎 dui堆兑队对 dun墩吨蹲敦顿钝盾遁 duo掇哆多夺垛躲朵跺舵剁惰堕 du督毒犊独读堵睹赌杜镀肚度渡妒 en恩 er而儿耳尔饵洱二贰 e蛾峨鹅俄额讹娥恶厄扼遏鄂饿 fang坊芳方肪房防妨仿访纺放 fan藩帆番翻樊矾钒繁凡烦反返范贩犯饭泛 fa发罚筏伐乏阀法珐 fei菲非啡飞肥匪诽吠肺废沸费 feng丰封枫蜂峰锋风疯烽逢冯缝讽奉凤 fen芬酚吩氛分纷坟焚汾粉奋份忿愤粪 fou否 fo佛 fu夫敷肤孵扶拂辐幅氟符伏俘服浮涪福袱弗甫抚辅俯釜斧腑府腐赴副覆赋复傅付阜父腹负富讣附妇缚咐 gai该改概钙盖溉 gang冈刚钢缸肛纲岗港杠 gan干甘杆柑竿肝赶感秆敢赣 gao篙皋高膏羔糕搞稿告郜 ga噶嘎 gei给 geng耕更庚羹埂耿梗 gen根跟 ge哥歌搁戈鸽胳疙割革葛格阁隔铬个各咯 gong工攻功恭龚供躬公宫弓巩汞拱贡共 gou钩勾沟苟狗垢构购够 guai乖拐怪 guang光广逛 guan棺关官冠观管馆罐惯灌贯 gua刮瓜剐寡挂褂 gui瑰规圭硅归龟闺轨鬼诡癸桂柜跪贵刽 gun辊滚棍 guo锅郭国果裹过 gu辜菇咕箍估沽孤姑鼓古蛊骨谷股故顾固雇 hai骸孩海氦亥害骇还咳 hang夯杭航 han酣憨邯韩含涵寒函喊罕翰撼捍旱憾悍焊汗汉瀚晗菡 hao镐壕嚎豪毫郝好耗号浩昊 ha蛤哈 hei嘿黑 heng哼亨横衡恒 hen痕很狠恨 he呵喝荷菏核禾和何合盒阂河涸赫褐鹤贺 hong轰哄烘虹鸿洪宏弘红 hou喉侯猴吼厚候后 huai槐徊怀淮坏 huang荒慌黄磺蝗簧皇凰惶煌晃幌恍谎 huan欢环桓缓换患唤痪豢焕涣宦幻 hua花哗华猾滑画划化话 hui灰挥辉徽恢蛔回毁悔慧卉惠晦贿秽会烩汇讳诲绘荟 hun荤昏婚魂浑混 huo豁活伙火获或惑霍货祸 hu呼乎忽瑚壶葫胡蝴狐糊湖弧虎唬护互沪户 jiang僵姜将浆江疆蒋桨奖讲匠酱降 jian歼监坚尖笺间煎兼肩艰奸缄茧检柬碱硷拣捡简俭剪减荐鉴践贱见键箭件健舰剑饯渐溅涧建 jiao蕉椒礁焦胶交郊浇骄娇嚼搅铰矫侥脚狡角饺缴绞剿教酵轿较叫窖 jia嘉枷夹佳家加荚颊贾甲钾假稼价架驾嫁 jie揭接皆秸街阶截劫节杰捷睫竭洁结解姐戒藉芥界借介疥诫届婕 jing荆兢茎睛晶鲸京惊精粳经井警景颈静境敬镜径痉靖竟竞净婧璟菁 jin巾筋斤金今津襟紧锦仅谨进靳晋禁近烬浸尽劲瑾 jiong炯窘 jiu揪究纠玖韭久灸九酒厩救旧臼舅咎就疚 ji击圾基机畸稽积箕肌饥迹激讥鸡姬绩缉吉极棘辑籍集及急疾汲即嫉级挤几脊己蓟技冀季伎祭剂悸济寄寂计记既忌际妓继纪骥 juan捐鹃娟倦眷卷绢 jue撅攫抉掘倔爵觉决诀绝珏 jun均菌钧军君峻俊竣浚郡骏珺 ju桔鞠拘狙疽居驹菊局矩举沮聚拒据巨具距踞锯俱句惧炬剧 kai开揩楷凯慨 kang康慷糠扛抗亢炕 kan槛刊堪勘坎砍看阚 kao考拷烤靠 ka喀咖卡 keng坑吭 ken肯啃垦恳 ke坷苛柯棵磕颗科壳可渴克刻客课珂 kong空恐孔控 kou抠口扣寇 kuai块筷侩快 kuang匡筐狂框矿眶旷况邝 kuan宽款 kua夸垮挎跨胯 kui亏盔岿窥葵奎魁傀馈愧溃 kun坤昆捆困琨 kuo括扩廓阔 ku枯哭窟苦酷库裤 lai莱来赖 lang琅榔狼廊郎朗浪 lan蓝婪栏拦篮阑兰澜谰揽览懒缆烂滥 lao捞劳牢老佬姥酪烙涝 la垃拉喇蜡腊辣啦 lei雷镭蕾磊累儡垒擂肋类泪 leng棱楞冷 le勒乐 liang粮凉梁粱良两辆量晾亮谅 lian联莲连镰廉怜涟帘敛脸链恋炼练 liao撩聊僚疗燎寥辽潦了撂镣廖料 lia俩 lie列裂烈劣猎 ling玲菱零龄铃伶羚凌灵陵岭领另令 lin琳林磷霖临邻鳞淋凛赁吝拎麟蔺 liu溜琉榴硫馏留刘瘤流柳六 li厘梨犁黎篱狸离漓理李里鲤礼莉荔吏栗丽厉励砾历利傈例俐痢立粒沥隶力璃哩 long龙聋咙笼窿隆垄拢陇 lou楼娄搂篓漏陋 luan峦挛孪滦卵乱栾 lun抡轮伦仑沦纶论 luo萝螺罗逻锣箩骡裸落洛骆络 lu芦卢颅庐炉掳卤虏鲁麓碌露路赂鹿潞禄录陆戮璐 lve掠略 lv驴吕铝侣旅履屡缕虑氯律率滤绿 mai埋买麦卖迈脉 mang芒茫盲氓忙莽 man瞒馒蛮满蔓曼慢漫谩 mao猫茅锚毛矛铆卯茂冒帽貌贸 ma妈麻玛码蚂马骂嘛吗 mei玫枚梅酶霉煤没眉媒镁每美昧寐妹媚 meng萌蒙檬盟锰猛梦孟 men门闷们 me么 mian棉眠绵冕免勉娩缅面 miao苗描瞄藐秒渺庙妙淼缪 mie蔑灭 ming明螟鸣铭名命 min民抿皿敏悯闽闵 miu谬 mi眯醚靡糜迷谜弥米秘觅泌蜜密幂 mou谋某 mo貉摸摹蘑模膜磨摩魔抹末莫墨默沫漠寞陌 mu牟拇牡亩姆母墓暮幕募慕木目睦牧穆 nai氖乃奶耐奈 nang囊 nan南男难 nao挠脑恼闹淖 na拿哪呐钠那娜纳 nei馁内 neng能 nen嫩 ne呢 niang娘酿 nian蔫拈年碾撵捻念粘辗 niao鸟尿 nie捏聂孽啮镊镍涅 ning柠狞凝宁拧泞 nin您 niu牛扭钮纽 ni妮霓倪泥尼拟你匿腻逆溺 nong脓浓农弄 nuan暖 nuo挪懦糯诺 nu奴努怒 nve虐疟 nv女 ou欧鸥殴藕呕偶沤 o哦 pai拍排牌徘湃派 pang乓庞旁耪胖 pan攀潘盘磐盼畔判叛 pao抛咆刨炮袍跑泡 pa耙啪趴爬帕怕琶 pei呸胚培裴赔陪配佩沛珮 peng砰抨烹澎彭蓬棚硼篷膨朋鹏捧碰芃 pen喷盆 pian篇偏片骗 piao飘漂瓢票 pie撇瞥 ping乒坪苹萍平凭瓶评屏 pin拼频贫品聘 pi辟坯砒霹批披劈琵毗啤脾疲皮匹痞僻屁譬 pou剖 po坡泼颇婆破魄迫粕 pu脯扑铺仆莆葡菩蒲埔朴圃普浦谱曝瀑 qiang枪呛腔羌墙蔷强抢 qian牵扦钎铅千迁签仟谦乾黔钱钳前潜遣浅谴堑嵌欠歉茜 qiao橇锹敲悄桥瞧乔侨巧鞘撬翘峭俏窍 qia掐恰洽 qie切茄且怯窃 qing青轻氢倾卿清擎晴氰情顷请庆 qin钦侵亲秦琴勤芹擒禽寝沁覃 qiong琼穷 qiu秋丘邱球求囚酋泅 qi期欺栖戚妻七凄漆柒沏其棋奇歧畦崎脐齐旗祈祁骑起岂乞企启契砌器气迄弃汽泣讫琪琦麒 quan圈颧权醛泉全痊拳犬券劝 que缺炔瘸却鹊榷确雀 qun裙群 qu趋区蛆曲躯屈驱渠取娶龋趣去瞿 rang瓤壤攘嚷让 ran然燃冉染 rao饶扰绕 reng扔仍 ren壬仁人忍韧任认刃妊纫 re惹热 ri日 rong戎茸蓉荣融熔溶容绒冗 rou揉柔肉 ruan软阮 rui蕊瑞锐睿 run闰润 ruo若弱 ru茹蠕儒孺如辱乳汝入褥 sai腮鳃塞赛 sang桑嗓丧 san三叁伞散 sao搔骚扫嫂 sa撒洒萨 seng僧 sen森 se瑟色涩 shai筛晒 shang墒伤商赏晌上尚裳 shan珊苫杉山删煽衫闪陕擅赡膳善汕扇缮栅 shao梢捎稍烧芍勺韶少哨邵绍 sha莎砂杀沙纱傻啥煞厦 sheng声生甥牲升绳省盛剩胜圣晟 shen砷申呻伸身深娠绅神沈审婶甚肾慎渗什 she奢赊蛇舌舍赦摄射慑涉社设佘 shi师失狮施湿诗尸虱十石拾时食蚀实识史矢使屎驶始式示士世柿事拭誓逝势是嗜噬适仕侍释饰氏市恃室视试 shou收手首守寿授售受瘦兽 shuai摔衰甩帅 shuang霜双爽 shuan栓拴 shua刷耍 shui谁水睡税 shun吮瞬顺舜 shuo说硕朔烁 shu蔬枢梳殊抒输叔舒淑疏书赎孰熟薯暑曙署蜀黍鼠属术述树束戍竖墅庶数漱恕 si斯撕嘶思私司丝死肆寺嗣四伺似饲巳 song松耸怂颂送宋讼诵 sou搜艘擞嗽 suan酸蒜算 sui虽隋随绥髓碎岁穗遂隧祟 sun孙损笋 suo蓑梭唆缩琐索锁所 su苏酥俗素速粟僳塑溯宿诉肃 tai胎苔抬台泰酞太态汰 tang汤塘搪堂棠膛唐糖倘躺淌趟烫 tan弹坍摊贪瘫滩坛檀痰潭谭谈坦毯袒碳探叹炭 tao掏涛滔绦萄桃逃淘陶讨套 ta塌他它她塔獭挞蹋踏 teng藤腾疼誊滕 te特 tian天添填田甜恬舔腆 tiao调挑条迢眺跳 tie贴铁帖 ting厅听烃汀廷停亭庭挺艇婷 ti梯剔踢锑提题蹄啼体替嚏惕涕剃屉 tong通桐酮瞳同铜彤童桶捅筒统痛佟仝 tou偷投头透 tuan湍团 tui推颓腿蜕褪退 tun囤吞屯臀 tuo拖托脱鸵陀驮驼椭妥拓唾 tu凸秃突图徒途涂屠土吐兔 wai歪外 wang汪王亡枉网往旺望忘妄 wan豌弯湾玩顽丸烷完碗挽晚皖惋宛婉万腕 wa挖哇蛙洼娃瓦袜 wei威巍微危韦违桅围唯惟为潍维苇萎委伟伪尾纬未蔚味畏胃喂魏位渭谓尉慰卫玮炜薇 weng嗡翁瓮 wen瘟温蚊文闻纹吻稳紊问 wo挝蜗涡窝我斡卧握沃 wu巫呜钨乌污诬屋无芜梧吾吴毋武五捂午舞伍侮坞戊雾晤物勿务悟误邬 xiang相厢镶香箱襄湘乡翔祥详想响享项巷橡像向象 xian铣掀锨先仙鲜纤咸贤衔舷闲涎弦嫌显险现献县腺馅羡宪陷限线冼 xiao萧硝霄削哮销消宵淆晓小孝校肖啸笑效骁 xia瞎虾匣霞辖暇峡侠狭下夏吓 xie楔些歇蝎鞋协挟携邪斜胁谐写械卸蟹懈泄泻谢屑 xing星腥猩惺兴刑型形邢行醒幸杏性姓 xin薪芯锌欣辛新忻心信衅鑫馨 xiong兄凶胸匈汹雄熊 xiu休修羞朽嗅锈秀袖绣 xi昔熙析西硒矽晰嘻吸锡牺稀息希悉膝夕惜熄烯溪汐犀檄袭席习媳喜洗系隙戏细奚 xuan轩喧宣悬旋玄选癣眩绚炫璇萱 xue靴薛学穴雪血 xun勋熏循旬询寻驯巡殉汛训讯逊迅 xu墟戌需虚嘘须徐许蓄酗叙旭序恤絮婿绪续吁胥 yang殃央鸯秧杨扬佯疡羊洋阳氧仰痒养样漾 yan焉咽阉烟淹盐严研蜒岩延言颜阎炎沿奄掩眼衍演艳堰燕厌砚雁唁彦焰宴谚验妍嫣焱闫晏鄢 yao邀腰妖瑶摇尧遥窑谣姚咬舀药要耀钥 ya压押鸦鸭呀丫芽牙蚜崖衙涯雅哑亚讶轧 ye椰噎耶爷野冶也页掖业叶曳腋夜液烨 ying英樱婴鹰应缨莹萤营荧蝇迎赢盈影颖硬映瑛 yin茵荫因殷音阴姻吟银淫寅饮尹引隐印 yi一壹医揖铱依伊衣颐夷遗移仪胰疑沂宜姨彝椅蚁倚已乙矣以艺抑易邑屹亿役臆逸肄疫亦裔意毅忆义益溢诣议谊译异翼翌绎 yong拥佣臃痈庸雍踊蛹咏泳涌永恿勇用 you幽优悠忧尤由邮铀犹油游酉有友右佑釉诱又幼 yo哟 yuan鸳渊冤元垣袁原援辕园员圆猿源缘远苑愿怨院媛 yue曰约越跃岳粤月悦阅玥 yun耘云郧匀陨允运蕴酝晕韵孕芸 yu迂淤于盂榆虞愚舆余俞逾鱼愉渝渔隅予娱雨与屿禹宇语羽玉域芋郁遇喻峪御愈欲狱育誉浴寓裕预豫驭煜昱瑜钰 zai栽哉灾宰载再在仔 zang赃脏葬臧 zan咱攒暂赞 zao遭糟凿藻枣早澡蚤躁噪造皂灶燥 za匝砸杂咋 zei贼 zeng增憎赠 zen怎 ze责择则泽 zhai翟摘斋宅窄债寨 zhang樟章彰漳张掌涨杖丈帐账仗胀瘴障 zhan瞻毡詹沾盏斩崭展蘸栈占战站湛绽 zhao招昭找沼赵照罩兆肇召 zha扎喳渣札铡闸眨榨乍炸诈柞 zheng蒸挣睁征狰争怔整拯正政症郑证 zhen珍斟真甄砧臻贞针侦枕疹诊震振镇阵帧 zhe遮折哲蛰辙者锗蔗这浙着 zhi芝枝支吱蜘知肢脂汁之织职直植殖执值侄址指止趾只旨纸志挚掷至致置帜峙制智秩稚质炙痔滞治窒 zhong中盅忠钟衷终种肿重仲众 zhou舟周州洲诌粥轴肘帚咒皱宙昼骤 zhuai拽 zhuang幢桩庄装妆撞壮状 zhuan专砖转撰赚篆 zhua抓爪 zhui椎锥追赘坠缀 zhun谆准 zhuo捉拙卓桌琢茁酌啄灼浊 zhu珠株蛛朱猪诸诛逐竹烛煮拄瞩嘱主著柱助蛀贮铸筑住注祝驻 zi兹咨资姿滋淄孜紫籽滓子自渍字 zong鬃棕踪宗综总纵 zou邹走奏揍 zuan钻纂 zui咀嘴醉最罪 zun尊遵 zuo昨左佐做作坐座 zu租足卒族祖诅阻组';
/** The most frequent family names. */
const SURNAMES =
  '王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤常温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷曲盛冉骆翁蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄';
/** Read otherwise as a family name. */
const SURNAME_READINGS: Readonly<Record<string, string>> = {
  曾: 'zeng',
  单: 'shan',
  解: 'xie',
  仇: 'qiu',
  查: 'zha',
  区: 'ou',
  朴: 'piao',
};
const MOST_PLACES = 6;
const MOST_PAIRS = 120;

interface Tables {
  readingOf: ReadonlyMap<string, string>;
  charactersOf: ReadonlyMap<string, string[]>;
  surnamesOf: ReadonlyMap<string, string[]>;
}

let tables: Tables | undefined;

/** The Latin words of names that a text in simplified characters may hold: "zhang", "wei", "zhangwei". */
export function latinNames(text: string): string[] {
  tables ??= makeTables();
  const { readingOf } = tables;
  const characters = [...text];
  const words: string[] = [];
  let places = 0;
  for (const [at, surname] of characters.entries()) {
    const given = readingOf.get(characters[at + 1] ?? '');
    if (!SURNAMES.includes(surname) || given === undefined) continue;
    places += 1;
    if (places > MOST_PLACES) break;
    const family = SURNAME_READINGS[surname] ?? readingOf.get(surname) ?? '';
    const second = readingOf.get(characters[at + 2] ?? '');
    words.push(family, given, family + given);
    if (second !== undefined) words.push(given + second, family + given + second);
  }
  return words;
}

/** Pairs of characters that begin a name of two Latin words in lower case, in either order: 张伟, 张卫, 章伟, … */
export function hanNames(first: string, second: string): string[] {
  tables ??= makeTables();
  const { charactersOf, surnamesOf } = tables;
  const pairs = (family: string, given: string): string[] => {
    const characters = charactersOf.get(firstSyllable(given, charactersOf)) ?? [];
    return (surnamesOf.get(family) ?? []).flatMap((surname) => characters.map((character) => surname + character));
  };
  return [...pairs(first, second), ...pairs(second, first)].slice(0, MOST_PAIRS);
}

/** "xiaoming" → "xiao"; empty where the word is not one or two syllables. */
function firstSyllable(word: string, charactersOf: Tables['charactersOf']): string {
  if (charactersOf.has(word)) return word;
  for (let end = word.length - 1; end > 0; end -= 1)
    if (charactersOf.has(word.slice(0, end)) && charactersOf.has(word.slice(end))) return word.slice(0, end);
  return '';
}

function makeTables(): Tables {
  const readingOf = new Map<string, string>();
  const charactersOf = new Map<string, string[]>();
  for (const row of READINGS.split(' ')) {
    const [syllable = ''] = /^[a-z]+/.exec(row) ?? [];
    const characters = [...row.slice(syllable.length)];
    charactersOf.set(syllable, characters);
    for (const character of characters) readingOf.set(character, syllable);
  }
  const surnamesOf = new Map<string, string[]>();
  for (const surname of SURNAMES) {
    const reading = SURNAME_READINGS[surname] ?? readingOf.get(surname) ?? '';
    surnamesOf.set(reading, [...(surnamesOf.get(reading) ?? []), surname]);
  }
  return { readingOf, charactersOf, surnamesOf };
}
