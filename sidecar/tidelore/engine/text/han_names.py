"""Names in Chinese, Japanese and Korean text, where no capital and often no space marks them.

A name counts only when something fixes both of its ends, so that it comes out the same in every sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from tidelore.engine.model import Certainty
from tidelore.engine.text.patterns import later

Found: TypeAlias = tuple[str, str, Certainty, int, int]

_EAST_ASIAN = later("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]")
_KANA = later("[\u3041-\u3096\u30a1-\u30fa]")
_HANGUL = later("[\uac00-\ud7a3]")
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"

_COMPOUND = (
    "欧阳 司马 上官 诸葛 慕容 司徒 皇甫 夏侯 东方 独孤 令狐 尉迟 公孙 宇文 长孙 轩辕 端木 百里 南宫 西门 澹台 "
    "司空 闻人 申屠 歐陽 諸葛 東方 南宮"
)
_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪"
    "田任姜范方石姚谭廖邹熊陆郝"
    "孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文庞樊殷施陶翟安颜倪严牛温季俞章鲁葛柳纪裴霍凌骆楚祁穆岳冷慕宁"
    "張劉陳楊趙黃吳孫馬羅鄭謝韓馮蕭鄧許呂蘇盧賈葉閻鐘譚鄒陸龍錢湯喬賀賴龔龐顏嚴溫紀駱岑柯路简卓涂阮洛"
)
# Words that begin with a surname and are no name.
_NOT_NAMES = frozenset(
    """
    高兴 高中 高度 高大 高手 高级 高声 高处 高冷 高傲 高贵 高原 高山 高楼 高速 高考 高高 白天 白色 白衣 白云
    白发 白雪 白银 白眼 白痴 白白 白昼 白日 黄色 黄金 黄昏 黄油 黄沙 金色 马上 马车 马路 马匹 马背 马尾 马戏
    安全 安静 安排 安慰 安心 安稳 安宁 安抚 安装 方便 方法 方向 方才 方面 方式 方案 方块 任何 任务 任性 任由
    任凭 何况 何必 何时 何处 何人 何等 何曾 常常 常年 常见 常识 温柔 温暖 温和 温度 温馨 温泉 温热 石头 石阶
    石桌 石墙 石板 石壁 石像 石门 水面 江湖 江边 江面 江水 江南 江山 田野 田地 田间 文件 文字 文章 文化 文明
    文学 文艺 龙虾 龙王 龙族 雷声 雷雨 雷电 许多 许久 许可 许愿 程度 程序 林间 林中 林子 林木 林荫 叶子 叶片
    万一 万物 万分 万里 万年 万般 段时 段路 段话 夏天 夏日 夏夜 夏季 秦国 史上 史书 毛病 毛衣 毛巾 毛发 毛笔
    毛毛 康复 余下 余光 余地 余生 余音 孔雀 丁点 姜汤 陆续 陆地 陆军 陈旧 陈列 周围 周末 周日 周一 周二 周三
    周四 周五 周六 周年 周边 周身 周到 章节 严肃 严格 严重 严厉 严密 易碎 武器 武功 武士 武林 武术 武者 乔装
    牛奶 牛肉 牛排 牛仔 鲁莽 楚楚 柳树 柳枝 凌晨 凌乱 凌空 冷静 冷冷 冷淡 冷笑 冷漠 冷汗 冷气 冷风 冷水 季节
    季度 汤匙 汤药 罗盘 施法 施展 范围 胡说 胡闹 胡同 胡子 胡乱 胡萝 朱红 吴侬 薛定 戴着 纪念 纪律 纪录 宁静
    宁愿 宁可 宋朝 唐朝 汉朝 明朝 路上 路边 路人 路口 路过 路灯 路程 路线 简单 简直 简短 简历 简介 卓越 洛阳
    涂抹 慕名 穆斯 常人 方圆 方寸 安好 安然 安定 文静 单纯 雷霆 石块 江河 白粥 白酒 白菜 白纸 白光 白骨 马儿
    马夫 马厩 温声 温酒 沈默 沈重 孟婆 颜色 颜面 贾宝 钱包 钱财 钱币 田园 冷清 冷酷 冷眼 冷却 高昂 高空 高效
    高考 高举 高喊 高跟 康健 凌厉 任命 路费 方形 时间 安检 安置 安然 安逸 严谨 夏令 简易 易怒 章鱼 万幸 何尝
    何以 何不 何事 何谓 常用 常说 常在 常去 常和 黄酒 黄瓜 黄河 黄土 黑白 江东 高温 高低 高潮 高等 高峰 高层
    高校 高铁 郑重 温言 苏醒 鲁钝
    """.split()
)
# Characters that are hardly ever in a given name: function words, verbs of speech, numbers, parts of the body.
_NOT_GIVEN = (
    "的了着过得地是在和跟与对给把被将让向从到去来也都就还又便却才已很太最更没不有说道问笑答喊叫吗呢吧啊呀哦嗯这那哪我"
    "你您他她它们什么怎为以于而且或但因所其之个只条位名次点些"
    "上下里外前后左右大小多少一二三四五六七八九十百千两几每各某女男老先师生孩儿人家手头眼脸嘴脚身口声话事时候年月日天"
    "今会要能可想看听做吃喝走跑坐站住进出回起开关用没再并则者等像似"
    "説問對給將讓從來還卻沒這那個們會開關時話聲後裡為學校长國国店馆路街城镇村山河湖岛市县区号"
)
_GIVEN = f"[{_HAN}](?<![{_NOT_GIVEN}])"
# Characters that begin a verb after a name: 林晚反问 is no 林晚反.
_NOT_LAST = (
    "冷苦微含浅轻嗤失讥嘲憨傻坏狞谄陪嬉反追质询逼喝骂吼怒低接续应高呼暗猜偷抬躺跪蹲靠倚趴待留正总倒仍刚立缓慢淡默悄忽"
    "突急连忙转凑拿放伸推拉握抱望盯瞪皱挑眨耸咬舔感觉发变显露收买写打穿换带送递交"
    "喜爱恨怕哭气惊醒睡死活病伤累饿渴饱热疼痛终依竟果确实真假指摸扶举捧端捡抓按敲踢踩跟随陪带领派请求答允许同拒绝停顿"
    "咳叹闭睁环扫瞥瞧闻嗅尝挥摆摇点耐离"
)
_SPEECH = (
    "说|說|道(?![路理具德])|问|問|笑|答|喊|叫道|回答|开口|點頭|点头|点了点头|点点头|摇摇头|摇头|摇了摇头|叹|皱眉|"
    "皱了皱|微笑|冷笑|苦笑|轻笑|大笑|浅笑|含笑|反问|追问|解释|继续|喝道|叹道|怒道|轻声|轻轻|低声|小声|大声|冷冷|"
    "淡淡|缓缓|慢慢|忽然|突然|连忙|低头|抬头|抬起|低下|转身|转过|"
    "沉默|站起|站在|站了|走到|走进|走过|走了|走向|走来|坐在|坐下|坐到|拿起|拿出|拿着|伸手|伸出|握住|握着|看着|"
    "看了|看向|看见|望着|望向|盯着|听了|听到|听完|想了|想到|想起|心想|心里|愣|怔|哭|眨|挑眉|耸肩|递|接过|推开|"
    "推门|打开|喝了|吃了"
)
_FOLLOWS = (
    _SPEECH + "|在|是|和|跟|与|與|对(?![面方手])|把|被|将|將|让|讓|给|給|也|都|就|还|還|又|却|已|正|刚|会|會|能|要|很|的|"
    "从|從|去|来|來|没|沒|不|有|则|便|才|想|看|听|喜欢|告诉|告訴|觉得|知道|死|受伤|住|最|总|终于|一起|和解|感|"
    "获得|昨|今|明天|先"
)
# What follows a surname that is an ordinary word too, or a name with no sign before it.
_TITLE = (
    "先生|小姐|女士|太太|夫人|老师|老師|医生|醫生|大夫|教授|博士|队长|隊長|警官|经理|老板(?!娘)|总监|主任|校长|局长|"
    "将军|將軍|大人|师傅|律师|护士|法官|船长|同学|阿姨|叔叔|奶奶|爷爷|长老|掌门|师父|护法|盟主|宗主|公子|姑娘|"
    "少爷|老板娘|掌柜|师娘|师哥|大爷|大伯|大妈|大嫂|伯伯|婶婶|大娘|大婶|大叔|殿下|陛下|师兄|师姐|师妹|师弟|大哥|大姐"
)
_CALLED = "我叫|名叫|叫做|叫作|名为|名字叫|名字是|名字就叫|本名|化名|自称|人称|取名|唤作|[猫狗兔鼠龟马弟妹哥姐儿子女妻友]叫|宠物叫"
_BEFORE = (
    f"(?:(?<![{_HAN}])|(?<=[和跟与與对對找给給叫让讓问問被把向见到友学师哥姐弟妹长是说說道，的着了替为])(?<!目的)|"
    f"(?<=一声)|(?<=告诉)|(?<=喜欢)|(?<=认识)|(?<=想起)|(?<=遇见)|(?<=同事)|(?<=男友)|(?<=但)|(?<=而)|(?<=当))"
)
_CUE = "(?:(?<=[和跟与與找给給])|(?<=名叫)|(?<=我叫)|(?<=叫做)|(?<=告诉)|(?<=认识)|(?<=想起)|(?<=遇见)|(?<=好友)|(?<=同事)|(?<=对着))"
_GIVENS = rf"{_GIVEN}(?:{_GIVEN}(?<![{_NOT_LAST}])|[山国生])??"
_FULL = rf"(?:(?:{'|'.join(_COMPOUND.split())})|[{_SURNAMES}]){_GIVENS}"
# Surnames that are ordinary words too need a verb of people after the name.
_PLAIN_SURNAME = "高白黄金石温冷安康江田史段常易武简单方路万毛雷龙夏季牛熊马严程何任章孔许余平"
# A look at the first character saves the rest at most places.
_FIRST = "".join(sorted({*_SURNAMES, *(name[0] for name in _COMPOUND.split())}))
_PERSON = later(
    rf"(?=[{_FIRST}])(?:{_BEFORE}({_FULL})(?={_SPEECH}|{_TITLE})|{_BEFORE}(?![{_PLAIN_SURNAME}])({_FULL})(?={_FOLLOWS})|{_CUE}({_FULL})(?![{_HAN}·]))"
)
_TITLED = later(rf"(?=[{_FIRST}]){_BEFORE}((?:{'|'.join(_COMPOUND.split())}|[{_SURNAMES}])(?:{_TITLE}))")
# "赵婶", "刘叔", "杜十娘".
_KIN = later(
    rf"(?=[{_FIRST}]){_BEFORE}((?:(?![{_PLAIN_SURNAME}王])[{_SURNAMES}](?:叔|婶|伯|嫂|姨|娘)|[{_SURNAMES}][一二三四五六七八九十]娘))"
    rf"(?={_FOLLOWS}|家|送|[，。！？、：；,.!?:~～…”」]|$)"
)
# Where only the verb and the colon after it say that the whole is a name.
_SPEAKER = later(
    rf"(?=[{_FIRST}])(?<![{_HAN}])([{_SURNAMES}](?:[{_HAN}](?<![声言语喝喊叫笑道说问地的了着不我你他她它就又也便才却先只])){{1,2}}(?<![{_NOT_LAST}]))"
    rf"(?=(?:笑|微笑|轻声|低声)?(?:着)?(?:说|问|道|答|笑|说道|问道|答道|笑道)[：:])"
)
_THIRD = later(rf"(?:(?<=[他她]叫)|(?<=[他她]名叫)|(?<=[他她]叫做))({_FULL})(?=[，。！？；,.!?;]|$)")
_SURNAMED = later(rf"姓((?:{'|'.join(_COMPOUND.split())}|[{_SURNAMES}]))[，,] ?(?:单?名|叫)?(\1[{_HAN}]{{1,2}})(?=[，。！？；,.!?;\s]|$)")
_NICK = later(
    rf"(?=[小老阿]){_BEFORE}(小[{_SURNAMES}明红紅军軍华華丽麗芳雨雪兰蘭美英强伟静敏玲燕梅月星晴云雲樱桃莉娜薇"
    rf"琪瑶婷晓宝虎霞鹏杰飞刚亮涛]|老[{_SURNAMES}]|阿[{_HAN}](?<![姨妈爸婆公姐哥弟妹拉里尔斯富谀门们的]))"
    rf"(?={_FOLLOWS}|[，。！？、：；,.!?:~～…”」]|$)"
)
_NOT_NICKS = frozenset(
    (
        "小时 小常 小白 小石 小路 小马 小牛 小熊 小龙 小江 小方 小安 小雨 小雪 小文 小月 小星 小云 小桃 小虎 小宝 "
        "小美 老石 老马 老牛 老方 老路 老毛 老常 老白 老康"
    ).split()
)
_INTRODUCED = later(
    rf"(?:{_CALLED})[“「『\"]?([{_HAN}·]{{2,9}}?|[A-Z][A-Za-z]{{1,20}})[”」』\"]?(?=[，"
    rf"。！？、；：,.!?;…~～）)\s]|$|的|是一|今年|来自|住在)"
)
_SOUNDS = (
    "阿艾爱安奥巴贝本比伯博布查达戴德蒂迪杜多恩尔法菲费弗福盖戈格古哈海汉赫霍华基吉加杰卡凯柯科克库拉莱兰朗劳雷里利莉"
    "列林琳卢鲁罗洛马玛迈麦曼梅米密莫姆娜内奈尼妮诺欧帕佩皮普奇切瑞萨塞森沙莎史斯丝苏索塔泰特提托瓦威维薇韦沃乌希西夏"
    "谢辛雪雅亚伊茵尤约泽扎詹珍朱佐丹丽冯芬弥乔丁顿伦温文芙露洁黛翠柏狄娅缇蕾珂"
    "艾愛奧貝達爾費蓋華傑凱庫萊蘭勞雷羅馬瑪邁麥內諾歐薩絲蘇維韋烏謝亞約澤麗喬倫潔"
)
_DOTTED = later(rf"[{_SOUNDS}]{{1,7}}(?:[·・•‧][{_SOUNDS}]{{1,7}}){{1,3}}")
_FOREIGN = later(
    rf"(?=[{_SOUNDS}]{{2}})(?:{_BEFORE}([{_SOUNDS}]{{3,6}}?)(?={_FOLLOWS})|{_BEFORE}([{_SOUNDS}]{{2}})(?={_SPEECH})|{_CUE}([{_SOUNDS}]{{2,6}})(?![{_HAN}·]))"
)
_NOT_FOREIGN = frozenset(
    """
    哈哈 海里 西海 里海 本西 多本 夏日 雪里 林里 海洋 加多 古希 多多 奇特 特别 利索 密林 森林
    西森 约莫 安普 普普 里里 布料 巴士 沙发 伊人 温文 文雅 雪亚 史诗 夏雪 海里斯 温泉 古斯 本来
    内里 多雨 维多 西塔 泰西 爱爱 卡卡 拉拉 奇普 普查 密查 乔安 福利 海马 海林 特福 马利 亚洲
    欧亚 里拉 瓦特 马拉 雅典 沙拉 沙特 爱华 爱马 安利 杰出 苏苏 哈里
    """.split()
)

_PLACE_CUE = "(?:在|到了?|去了?|来到了?|回到了?|前往|抵达了?|离开了?|位于|住在|搬去了?|回了?|从|逛|经过|來到了?|離開了?)"
_PLACE_END = (
    "客栈|酒馆|山庄|庄园|学院|大学|中学|小学|车站|机场|码头|公园|广场|大厦|王国|帝国|森林|城堡|神殿|要塞|港口|"
    "峡谷|楼|阁|城|镇|巷|村|山|河|湖|街|馆|宫|殿|谷|港|岛|省|市|县|寺|州|學院|車站|碼頭|公園|鎮|館|宮|島|縣"
)
_NOT_PLACE = (
    "的了着过得是在和跟与对给把被将让从到去来也都就还又很太最更没不有说问这那哪我你您他她它们什么怎个只条位名次些每各"
    "某几两一二三四五六七八九十座间家整全本爬下上出进逛开满附近边前后左右里外中内同"
    "小大老新旧古破远近高矮深空黑冰雪火江高县都皇王这自己看吃喝玩走喜欢学校家乡图体博宾旅茶饭咖啡书面花美术科技天文纪"
    "念水族展览健身照相海底游泳网球"
)
_HOUSE = later(
    rf"{_PLACE_CUE}((?:[{_HAN}](?<![的了着过是个家间这那座一我你他她条位边上里外中旁前后近小大老城镇村处各每])){{2,4}}?(?:客栈|茶馆|茶楼|酒楼|书院))"
)
_PLACE = later(
    rf"{_PLACE_CUE}(((?:[{_HAN}](?<![{_NOT_PLACE}])){{1,5}}?)(?:{_PLACE_END}))(?!市[民场长]|"
    rf"[{_HAN}](?<![的里外上下中内边前后旁附住和，是一就后时找看买吃玩工读旅见参当做开生散过等喝长来去]))"
)
_CITIES = (
    "北京 上海 天津 重庆 广州 深圳 杭州 南京 苏州 成都 武汉 西安 长沙 青岛 厦门 大连 哈尔滨 沈阳 济南 昆明 拉萨 "
    "三亚 台北 高雄 香港 澳门 云南 四川 新疆 西藏 海南 浙江 江苏 广东 福建 台湾 河北 河南 山东 山西 陕西 湖北 湖南 "
    "江西 安徽 贵州 甘肃 青海 广西 内蒙古 宁夏 辽宁 吉林 黑龙江 宁波 温州 绍兴 嘉兴 湖州 金华 无锡 常州 扬州 镇江 "
    "徐州 南通 合肥 芜湖 黄山 福州 泉州 南昌 景德镇 九江 烟台 威海 郑州 洛阳 开封 安阳 宜昌 襄阳 岳阳 湘西 张家界 "
    "珠海 佛山 东莞 汕头 惠州 南宁 桂林 北海 海口 贵阳 遵义 大理 丽江 西双版纳 绵阳 乐山 咸阳 延安 兰州 敦煌 西宁 "
    "银川 乌鲁木齐 喀什 呼和浩特 包头 太原 大同 石家庄 保定 唐山 承德 秦皇岛 长春 延吉 鞍山 台南 台中 长安 姑苏 "
    "日本 韩国 美国 英国 法国 德国 意大利 西班牙 俄罗斯 加拿大 澳大利亚 新西兰 泰国 越南 新加坡 马来西亚 印度 "
    "埃及 东京 大阪 京都 首尔 纽约 伦敦 巴黎 柏林 罗马 莫斯科 巴塞罗那 洛杉矶 旧金山 曼谷"
)
_CITY = later(rf"{_PLACE_CUE}({'|'.join(sorted(_CITIES.split(), key=len, reverse=True))})(?![人语菜话队餐式货版省城石小街路]|后)")
_NOT_PLACES = frozenset(
    (
        "山谷 京城 寺庙 宫殿 海港 海岛 荒村 荒山 孤岛 河谷 雪山 火山 冰河 运河 山庄 楼阁 阁楼 教学楼 办公楼 宿舍楼 "
        "茶楼 酒楼 钟楼 城楼 门楼 塔楼 木楼 竹楼 青楼 寺院 山寺 古寺 皇城 王城 故宫 冷宫 后宫 后山 庄园 外省 邻村 "
        "邻县 邻镇 边城 主城 空城 省城 夜市 菜市 集市 都市 城市 乡村 农村 山村 山城 渔村 港城 码头 长城 公园 城镇 "
        "窄巷 陋巷 街巷 雨巷 乡镇 火车站 地铁站 汽车站 步行街 商业街 冬山 青山 深山 江山 人行街"
    ).split()
)

_JAPANESE = later(
    rf"((?<![\u30a1-\u30fa\u30fc])[\u30a1-\u30fa\u30fc・]{{2,12}}|(?<![{_HAN}々おご])[{_HAN}々]{{1,4}}|"
    rf"(?<![{_HAN}\u3041-\u3096])[\u3041-\u3096]{{2,4}}(?<=[なみりんこきかおえさまや]))(さん|くん|ちゃん|さま|様|"
    rf"先生|君|殿|先輩|せんぱい)(?![{_HAN}])"
)
_NOT_JAPANESE = frozenset(
    (
        "皆 母 父 兄 姉 奥 娘 嫁 婆 爺 客 神 王 姫 主 医者 店員 患者 叔父 叔母 伯父 伯母 祖父 祖母 息子 赤 猫 犬 "
        "旦那 若 諸 仏 何 屋 業者 隣 担任 校長 同 貴 坊 嬢 ここ みな みんな たく たくさん おばあ おじい おかあ "
        "おとう おねえ おにい おば おじ"
    ).split()
)
_KOREAN = later(r"(?<![\uac00-\ud7a3])([\uac00-\ud7a3]{2,4}) ?(씨|님)(?=[은는이가을를와과도의에께한랑만, .!?~…\n]|$)(?!씨앗)")
_NOT_KOREAN = frozenset(
    (
        "선생 하나 부모 고객 사장 교수 주인 아버 어머 왕자 공주 형 누 원장 회장 대표 과장 부장 팀장 기사 의사 간호사 "
        "할머 할아버 아주머 작가 감독 목사 신부 마음 아가 오늘날 손 여러 도련 마녀 여왕 아드 따 이런 저런 그런 불 해 "
        "햇 폐하 전하 스승 달 별 선배"
    ).split()
)


def is_east_asian(text: str) -> bool:
    """Whether Han, kana or Hangul stand in the text."""
    return _EAST_ASIAN.search(text) is not None


def east_asian_names(text: str) -> list[Found]:
    """The names in the text as (name, sub, certainty, start, end)."""
    if _KANA.search(text):
        return list(_japanese(text))
    found = list(_korean(text)) if _HANGUL.search(text) else []
    found += _chinese(text)
    return found


def _japanese(text: str) -> Iterator[Found]:
    for match in _JAPANESE.finditer(text):
        name = match.group(1)
        if name not in _NOT_JAPANESE and not (len(name) == 1 and match.group(2) in ("先生", "君", "様", "殿")):
            yield name, "character", "seen", *match.span(1)


def _korean(text: str) -> Iterator[Found]:
    for match in _KOREAN.finditer(text):
        if match.group(1) not in _NOT_KOREAN:
            yield match.group(1), "character", "seen", *match.span(1)


def _chinese(text: str) -> Iterator[Found]:
    """Surest first, as a place taken by one pattern is closed to the others."""
    taken = bytearray(len(text))
    for found in _chinese_candidates(text):
        start, end = found[3:]
        if 1 not in taken[start:end]:
            taken[start:end] = b"\1" * (end - start)
            yield found


def _chinese_candidates(text: str) -> Iterator[Found]:
    for match in _INTRODUCED.finditer(text):
        name = match.group(1).strip("·")
        if (
            len(name) > 1
            and not set(name) & set("的我你他她它这那什么啥了吗呢您谁")
            and not (len(name) > 4 and "·" not in name and not _is_sound(name))
        ):
            yield name, "character", "stated", match.start(1), match.start(1) + len(name)
    for match in _SURNAMED.finditer(text):
        yield match.group(2), "character", "stated", *match.span(2)
    for match in _THIRD.finditer(text):
        if _is_person(match.group(1), False):
            yield match.group(1), "character", "stated", *match.span(1)
    for match in _DOTTED.finditer(text):
        yield match.group(), "character", "seen", *match.span()
    for pattern in (_HOUSE, _PLACE, _CITY):
        for match in pattern.finditer(text):
            if match.group(1) not in _NOT_PLACES:
                yield match.group(1), "location", "seen", *match.span(1)
    for pattern in (_TITLED, _KIN):
        for match in pattern.finditer(text):
            yield match.group(1), "character", "seen", *match.span(1)
    for pattern in (_PERSON, _NICK, _FOREIGN, _SPEAKER):
        for match in pattern.finditer(text):
            group = match.lastindex or 0
            name = match.group(group)
            if _is_person(name, pattern is _FOREIGN):
                yield name, "character", "seen", *match.span(group)


def _is_person(name: str, foreign: bool) -> bool:
    if name[:2] in _NOT_NAMES or name in _NOT_NICKS or name[:2] in _NOT_NICKS or name in _NOT_FOREIGN:
        return False
    return not (foreign and (len(set(name)) < 2 or name in _CITIES.split() or name[:2] in _NOT_FOREIGN))


def _is_sound(name: str) -> bool:
    return all(char in _SOUNDS for char in name)
